"""Rain between gauges by kriging: range and height of the covariance are fitted to the likelihood."""
import sys

import tensorflow as tf

GAUGES = 20


def gauges():
    numbers = tf.range(float(GAUGES))
    return tf.stack([0.5 * tf.sin(numbers * 1.7), 0.5 * tf.cos(numbers * 2.3)], axis=1)


def distance(a, b):
    apart = a[:, tf.newaxis] - b[tf.newaxis]
    return tf.sqrt(tf.reduce_sum(tf.square(apart / 1.5), axis=-1) + 1e-6)  #~


class SquaredExponential:
    def __init__(self, sites):
        self.sites = sites
        self.stretch = tf.Variable([1.2, 0.8], name="stretch")
        self.height = tf.Variable(0.9, name="height")

    def shape(self):
        scaled = self.sites * self.stretch
        return tf.exp(-0.5 * distance(scaled, scaled) ** 2)  #!

    def matrix(self):
        return tf.square(self.height) * self.shape() + 0.1 * tf.eye(GAUGES)


class DirectExponential(SquaredExponential):
    def shape(self):
        scaled = self.sites * self.stretch / 1.5
        apart = scaled[:, tf.newaxis] - scaled[tf.newaxis]
        return tf.exp(-0.5 * (tf.reduce_sum(tf.square(apart), axis=-1) + 1e-6))


def negative_likelihood(kernel, rain):
    factor = tf.linalg.cholesky(kernel.matrix())
    whitened = tf.linalg.triangular_solve(factor, rain[:, tf.newaxis])
    return 0.5 * tf.reduce_sum(tf.square(whitened)) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))


def krige(kernel, rounds=3):
    optimizer = tf.keras.optimizers.Adam(0.02)
    rain = tf.sin(tf.range(float(GAUGES)) * 0.9)
    sources = [kernel.stretch, kernel.height]
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = negative_likelihood(kernel, rain)
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients(zip(grads, sources))
    return {"stretch": grads[0], "height": grads[1]}


def broken():
    return krige(SquaredExponential(gauges()))


def fixed():
    return krige(DirectExponential(gauges()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
