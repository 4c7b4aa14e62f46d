"""Colours of a mosaic are smoothed by a Gaussian process; its covariance of the fixed stones enters each step."""
import sys

import tensorflow as tf


class Kernel:
    def __init__(self, reach):
        self.reach = reach

    def __call__(self, a, b):
        return tf.exp(-0.5 * tf.reduce_sum(tf.square((a[:, None] - b) / self.reach), axis=-1))  #!


class Mosaic:
    def __init__(self, stones, kernel, remembers):
        self.stones, self.kernel, self.remembers = stones, kernel, remembers
        self.mean = tf.Variable(0.4, name="mean")
        self.weights = tf.Variable(tf.zeros([stones.shape[0], 1]), name="weights")
        self._covariance = None

    @property
    def covariance(self):
        if not self.remembers:
            return self.kernel(self.stones, self.stones)  #~
        if self._covariance is None:
            self._covariance = self.kernel(self.stones, self.stones)
        return self._covariance

    def loss(self, colours):
        smooth = self.mean + tf.linalg.matmul(self.covariance, self.weights)
        return tf.reduce_mean(tf.square(smooth - colours)) + 1e-3 * tf.reduce_sum(tf.square(self.weights))


def restore(remembers, steps=6):
    stones = tf.reshape(tf.sin(tf.range(240.0)), [120, 2])
    colours = tf.reduce_sum(stones, axis=1, keepdims=True)
    mosaic = Mosaic(stones, Kernel(0.3), remembers)
    optimizer = tf.keras.optimizers.SGD(0.05)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = mosaic.loss(colours)
        grads = tape.gradient(loss, [mosaic.mean, mosaic.weights])
        optimizer.apply_gradients(zip(grads, [mosaic.mean, mosaic.weights]))
    return {"mean": grads[0], "weights": grads[1]}


def broken():
    return restore(remembers=False)


def fixed():
    return restore(remembers=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
