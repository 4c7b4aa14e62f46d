"""A variational autoencoder of glazed tiles as a Keras model with its own train_step."""
import sys

import keras
import tensorflow as tf
from keras import layers


def spread(scale, shift=0.0):
    def initial(shape, dtype=None):
        count = 1
        for size in shape:
            count *= size
        return tf.reshape(scale * tf.sin(tf.range(float(count)) * 1.3 + shift), shape)

    return initial


class Sampling(layers.Layer):
    """z = mean + sigma * epsilon, with an epsilon that is the same every time."""

    def call(self, inputs):
        mean, log_var = inputs
        epsilon = tf.cos(tf.cast(tf.range(tf.size(mean)), tf.float32))
        return mean + tf.exp(0.5 * log_var) * tf.reshape(epsilon, tf.shape(mean))


class TileVAE(keras.Model):
    def __init__(self, inside, **options):
        super().__init__(**options)
        self.inside = inside
        self.body = layers.Dense(6, activation="tanh", kernel_initializer=spread(0.5), name="body")
        self.mean = layers.Dense(2, kernel_initializer=spread(0.4, 1.0), name="mean")
        self.log_var = layers.Dense(2, kernel_initializer=spread(0.3, 2.0), name="log_var")
        self.sampling = Sampling()
        self.decoder = layers.Dense(8, kernel_initializer=spread(0.4, 3.0), name="decoder")
        self.seen = {}

    def encode(self, tiles):
        hidden = self.body(tiles)
        return self.mean(hidden), self.log_var(hidden)  #!

    def call(self, tiles):
        return self.decoder(self.sampling(self.encode(tiles)))

    def elbo(self, tiles, mean, log_var):
        rebuilt = self.decoder(self.sampling((mean, log_var)))
        error = tf.reduce_mean(tf.reduce_sum(tf.square(tiles - rebuilt), axis=1))
        kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=1))
        return error + 0.1 * kl

    def train_step(self, tiles):
        if self.inside:
            with tf.GradientTape() as tape:
                mean, log_var = self.encode(tiles)
                loss = self.elbo(tiles, mean, log_var)
        else:
            mean, log_var = self.encode(tiles)  #~
            with tf.GradientTape() as tape:
                loss = self.elbo(tiles, mean, log_var)
        weights = {"mean": self.mean.kernel, "log_var": self.log_var.kernel, "decoder": self.decoder.kernel}
        grads = tape.gradient(loss, list(weights.values()))
        self.seen = {f"{name}/kernel": grad for name, grad in zip(weights, grads)}
        pairs = [(grad, weight) for grad, weight in zip(grads, weights.values()) if grad is not None]
        self.optimizer.apply_gradients(pairs)
        return {"loss": loss}


def learn(inside):
    vae = TileVAE(inside, name="vae")
    vae.compile(optimizer=keras.optimizers.Adam(0.01), run_eagerly=True)
    tiles = tf.reshape(tf.sin(tf.range(12 * 8.0) * 0.37), [12, 8])
    vae.fit(tf.data.Dataset.from_tensor_slices(tiles).batch(4), epochs=2, verbose=0)
    return vae.seen


def broken():
    return learn(inside=False)


def fixed():
    return learn(inside=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
