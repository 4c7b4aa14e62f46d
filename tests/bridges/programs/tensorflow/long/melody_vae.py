"""A variational autoencoder of melodies; the weight of the divergence grows from epoch to epoch."""
import sys

import keras
import tensorflow as tf


def tune(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.9), shape)


class MelodyVae(keras.Model):
    def __init__(self, width=3, **options):
        super().__init__(**options)
        self.encoder = keras.layers.Dense(2 * width, kernel_initializer=tune, name="encoder")
        self.decoder = keras.layers.Dense(8, kernel_initializer=tune, name="decoder")

    def call(self, melodies):
        mean, log_variance = tf.split(self.encoder(melodies), 2, axis=1)
        noise = tf.sin(1.0 + tf.cast(tf.range(tf.size(mean)), tf.float32))
        latent = mean + tf.exp(0.5 * log_variance) * tf.reshape(noise, tf.shape(mean))
        divergence = 0.5 * tf.reduce_sum(tf.exp(log_variance) + mean ** 2 - 1.0 - log_variance, axis=1)
        return self.decoder(latent), divergence


class Annealing:
    """From 0 to 1 in so many epochs."""

    def __init__(self, epochs, as_tensor):
        self.epochs, self.as_tensor = epochs, as_tensor

    def weight(self, epoch):
        share = min(1.0, epoch / self.epochs)
        return tf.constant(share) if self.as_tensor else share


class Studio:
    def __init__(self):
        self.model = MelodyVae(name="melodies")
        self.model(tf.zeros([1, 8]))
        self.optimizer = keras.optimizers.Adam(0.01)
        self.optimizer.build(self.model.trainable_variables)

    @tf.function
    def learn(self, melodies, divergence_weight):
        with tf.GradientTape() as tape:
            heard, divergence = self.model(melodies)
            error = tf.reduce_sum(tf.square(heard - melodies), axis=1)
            loss = tf.reduce_mean(error + divergence_weight * divergence)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply(grads, self.model.trainable_variables)
        return grads

    def rehearse(self, annealing, epochs=4):
        melodies = tf.reshape(tf.sin(tf.range(64.0) * 0.4), [8, 8])
        for epoch in range(epochs):
            for part in tf.split(melodies, 2):
                grads = self.learn(part, annealing.weight(epoch))  #!
        return {weight.path: grad for weight, grad in zip(self.model.trainable_variables, grads)}


def broken():
    return Studio().rehearse(Annealing(3, as_tensor=False))


def fixed():
    return Studio().rehearse(Annealing(3, as_tensor=True))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
