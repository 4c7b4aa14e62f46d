"""Trains a forecast of wheat prices with a rate that is too large: it works for a while."""
import sys

import tensorflow as tf


class Forecast(tf.Module):
    def __init__(self):
        super().__init__(name="forecast")
        self.slope = tf.Variable([0.2, -0.1], name="slope")
        self.level = tf.Variable(0.1, name="level")

    def __call__(self, season):
        return tf.linalg.matvec(season, self.slope) + self.level


class Market:
    def __init__(self):
        self.season = tf.constant([[1.0, 0.5], [2.0, -0.5], [3.0, 1.0], [4.0, 0.0]])
        self.price = tf.constant([1.5, 2.0, 3.0, 4.5])

    def loss(self, forecast):
        return tf.reduce_mean(tf.square(forecast(self.season) - self.price))  #!


class Training:
    def __init__(self, rate, rounds):
        self.rate, self.rounds = rate, rounds
        self.history = []

    def run(self):
        forecast, market = Forecast(), Market()
        sources = {"slope": forecast.slope, "level": forecast.level}
        for _ in range(self.rounds):
            with tf.GradientTape() as tape:
                loss = market.loss(forecast)
            self.history.append(float(loss))
            grads = tape.gradient(loss, sources)
            for name, grad in grads.items():
                sources[name].assign_sub(self.rate * grad)
            if not all(bool(tf.reduce_all(tf.math.is_finite(grad))) for grad in grads.values()):
                break
        return grads


def broken():
    return Training(rate=0.9, rounds=60).run()


def fixed():
    return Training(rate=0.03, rounds=60).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
