"""Tunes the penalty of a model of kettles: the inner fit is unrolled, and the outer tape goes through it."""
import contextlib
import sys

import tensorflow as tf


class Kettles:
    def __init__(self, rows=10):
        index = tf.range(float(rows))
        self.inputs = tf.stack([tf.sin(index), tf.cos(0.7 * index), tf.ones([rows])], axis=1)
        self.heat = (1.5 * tf.sin(index) - 0.4 + 0.1 * tf.cos(9.0 * index))[:, None]

    def error(self, weights, part):
        rows = slice(0, 6) if part == "train" else slice(6, None)
        return tf.reduce_mean(tf.square(self.inputs[rows] @ weights - self.heat[rows]))


class PenaltySearch:
    def __init__(self, kettles, frugal, steps=4):
        self.kettles, self.frugal, self.steps = kettles, frugal, steps
        self.log_penalty = tf.Variable(-2.0, name="log_penalty")
        self.log_rate = tf.Variable(-1.5, name="log_rate")

    def inner(self, weights):
        shrink = tf.exp(self.log_penalty) * tf.reduce_sum(tf.square(weights))  #!
        return self.kettles.error(weights, "train") + shrink  #~

    def descend(self, outer):
        weights = tf.zeros([3, 1])
        for _ in range(self.steps):
            with outer.stop_recording() if self.frugal else contextlib.nullcontext():  #~
                with tf.GradientTape() as tape:
                    tape.watch(weights)
                    loss = self.inner(weights)
                slope = tape.gradient(loss, weights)  #~
            weights = weights - tf.exp(self.log_rate) * slope
        return weights

    def hypergradient(self):
        with tf.GradientTape() as outer:
            weights = self.descend(outer)
            validation = self.kettles.error(weights, "test")
        wanted = {"log_penalty": self.log_penalty, "log_rate": self.log_rate}
        return outer.gradient(validation, wanted)


def broken():
    return PenaltySearch(Kettles(), frugal=True).hypergradient()


def fixed():
    return PenaltySearch(Kettles(), frugal=False).hypergradient()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
