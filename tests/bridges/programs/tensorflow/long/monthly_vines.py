"""Forecasts of a vineyard, trained anew each month: every month gets an optimizer and a compiled step."""
import sys

import tensorflow as tf


def compile_step(weights, rate):
    @tf.function
    def step(features, harvest):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(features, weights) - harvest))
        weights.assign_sub(rate * tape.gradient(loss, weights))
        return loss

    return step


class Forecast:
    def __init__(self, features=3, keep=False):
        self.weights = tf.Variable(tf.zeros([features]), name="weights")
        self.keep = compile_step(self.weights, 0.1) if keep else None
        self.errors = {}

    def month(self, name, features, harvest, days=3):
        step = self.keep or compile_step(self.weights, 0.1)  #~
        for _ in range(days):
            error = step(features, harvest)  #!
        self.errors[name] = error

    def year(self):
        for place, name in enumerate(("may", "june", "july", "august")):
            features = tf.reshape(tf.sin(tf.range(12.0) + float(place)), [4, 3])
            self.month(name, features, tf.reduce_sum(features, axis=1))
        return self.errors


def broken():
    return {} if Forecast().year() else None


def fixed():
    return {} if Forecast(keep=True).year() else None


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
