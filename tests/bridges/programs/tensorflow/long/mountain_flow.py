"""A triangular flow turns heights of mountains into plain noise."""
import sys

import keras
import tensorflow as tf


class Mixing(keras.layers.Layer):
    """z = x W with a triangular W, and log|det W| for the density."""

    def start(self, size):
        return 0.1 * tf.reshape(tf.range(size * size, dtype=tf.float32), [size, size])

    def build(self, shape):
        size = shape[-1]
        self.mix = self.add_weight(name="mix", shape=(size, size), initializer=lambda s, dtype=None: self.start(size))
        self.shift = self.add_weight(name="shift", shape=(size,), initializer="zeros")

    def lower(self):
        return tf.linalg.band_part(self.mix, -1, 0)

    def log_volume(self):
        return tf.reduce_sum(tf.math.log(tf.abs(tf.linalg.diag_part(self.lower()))))  #!

    def call(self, heights):
        return heights @ self.lower() + self.shift


class TurnedMixing(Mixing):
    def start(self, size):
        return tf.eye(size) + 0.1 * super().start(size)


class Flow:
    def __init__(self, layer):
        self.layer = layer
        self.layer.build((None, 2))

    def negative_log_density(self, heights):
        noise = self.layer(heights)
        base = 0.5 * tf.reduce_sum(tf.square(noise), axis=1)
        return tf.reduce_mean(base) - self.layer.log_volume()

    def fit(self, heights, steps=2):
        parts = self.layer.trainable_variables
        optimizer = keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.02, 10, 0.9))
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = self.negative_log_density(heights)
            slopes = tape.gradient(loss, parts)
            optimizer.apply_gradients(zip(slopes, parts))
        return dict(zip(["flow/mix", "flow/shift"], slopes))


def heights():
    angle = tf.linspace(0.0, 5.0, 20)
    return tf.stack([tf.sin(angle), 0.5 * tf.sin(angle) + 0.2 * tf.cos(3.0 * angle)], axis=1)


def broken():
    return {"flow/mix": Flow(Mixing(name="flow")).fit(heights())["flow/mix"]}


def fixed():
    return {"flow/mix": Flow(TurnedMixing(name="flow")).fit(heights())["flow/mix"]}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
