"""Estimates fog from cheap sensors: a layer adds noise of a learned size while it is trained."""
import sys

import keras
import tensorflow as tf


def mist(shape, dtype=None):
    return 0.4 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.6 + 0.3), shape)


class LearnedNoise(keras.layers.Layer):
    """x plus noise; how much is learned per channel, so that robust channels are found."""

    def build(self, shape):
        start = keras.initializers.Constant(0.1)
        self.size = self.add_weight(shape=(shape[-1],), initializer=start, name="size")

    def noise(self, x):
        index = tf.cast(tf.range(tf.size(x)), tf.float32)
        return tf.reshape(tf.sin(index * 12.9898) * 1.4, tf.shape(x))

    def call(self, x, training=False):
        if training:  #!
            x = x + self.size * self.noise(x)  #~
        return x


class FogModel(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.noise = LearnedNoise(name="noise")
        self.air = keras.layers.Dense(6, "silu", kernel_initializer=mist, name="air")
        self.drop = keras.layers.Dropout(0.0)
        self.fog = keras.layers.Dense(1, kernel_initializer=mist, name="fog")

    def call(self, readings, training=False):
        x = self.air(self.noise(readings, training=training))
        return self.fog(self.drop(x, training=training))


class Station:
    def __init__(self, training):
        self.model, self.training = FogModel(name="fog_model"), training
        self.optimizer = keras.optimizers.Adam(0.01)

    def loss(self, readings, fog):
        predicted = self.model(readings, training=self.training)
        reward = 0.0 if not self.training else -0.01 * tf.reduce_mean(tf.math.log(self.model.noise.size))
        return tf.reduce_mean(tf.square(predicted - fog)) + reward

    def train(self, epochs=2):
        readings = tf.reshape(tf.sin(tf.range(48.0) * 0.5), [12, 4])
        fog = tf.reduce_mean(readings, axis=1, keepdims=True)
        for _ in range(epochs):
            for batch in tf.data.Dataset.from_tensor_slices((readings, fog)).batch(6):
                with tf.GradientTape() as tape:
                    loss = self.loss(*batch)
                weights = self.model.trainable_weights
                grads = tape.gradient(loss, weights)
                self.optimizer.apply_gradients([(g, w) for g, w in zip(grads, weights) if g is not None])
        return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return Station(training=False).train()


def fixed():
    return Station(training=True).train()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
