"""Adapts a surf forecast to each beach with one inner step (MAML): nested tapes and weights as plain
tensors.
"""
import sys

import tensorflow as tf


class Forecast:
    """A net without state: weights come in with the call."""

    @staticmethod
    def start():
        return {
            "swell": tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(12.0)), [3, 4]), name="swell"),
            "wind": tf.Variable(tf.zeros([4]), name="wind"),
            "height": tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(4.0)), [4, 1]), name="height"),
        }

    @staticmethod
    def apply(weights, buoys):
        return tf.squeeze(tf.tanh(buoys @ weights["swell"] + weights["wind"]) @ weights["height"], axis=1)


class Beach:
    def __init__(self, number):
        self.buoys = tf.reshape(tf.sin(tf.range(24.0) * 0.4 + number), [8, 3])
        self.heights = (0.5 + 0.2 * number) * self.buoys[:, 0] + 0.1 * number

    def split(self):
        known, new = slice(0, 4), slice(4, 8)
        return (self.buoys[known], self.heights[known]), (self.buoys[new], self.heights[new])


def error(weights, buoys, heights):
    return tf.reduce_mean(tf.square(Forecast.apply(weights, buoys) - heights))


def adapted(weights, known, rate=0.1, limit=1.0):
    values = {name: tf.convert_to_tensor(weight) for name, weight in weights.items()}
    with tf.GradientTape(watch_accessed_variables=False) as inner:
        inner.watch(values)
        loss = error(values, *known)
    slopes = inner.gradient(loss, values)
    slopes = {name: tf.clip_by_norm(slope, limit) for name, slope in slopes.items()}
    return {name: value - rate * slopes[name] for name, value in values.items()}


@tf.function
def meta_gradients(weights, known, new):
    with tf.GradientTape() as outer:
        loss = error(adapted(weights, known), *new)
    return loss, outer.gradient(loss, weights)


def broken():
    weights = Forecast.start()
    best = float("inf")
    for epoch in range(3):
        for number in range(3):
            known, new = Beach(number).split()
            loss, grads = meta_gradients(weights, known, new)
            best = min(best, float(loss))
            for name, weight in weights.items():
                weight.assign_sub(0.05 * grads[name])
    return grads


if __name__ == "__main__":
    print(broken())
