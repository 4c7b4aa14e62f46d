"""Moisture of a peat bog by a Gaussian process: prediction and its uncertainty, both with the inverse of the kernel."""
import sys

import tensorflow as tf


class Bog:
    def __init__(self):
        self.reach = tf.Variable(1.2, name="reach")
        self.wet = tf.Variable(0.8, name="wet")
        self.places = tf.linspace(0.0, 5.0, 9)
        self.moisture = tf.sin(self.places)[:, tf.newaxis]

    def kernel(self, a, b):
        return self.wet * tf.exp(-tf.square((a[:, None] - b[None, :]) / self.reach))

    def precision(self):
        covariance = self.kernel(self.places, self.places) + 0.1 * tf.eye(9)
        return tf.linalg.inv(covariance)  #!


class BogModel(Bog):
    def mean(self, wanted):
        return self.kernel(wanted, self.places) @ self.precision() @ self.moisture  #~

    def variance(self, wanted):
        cross = self.kernel(wanted, self.places)
        return self.wet - tf.reduce_sum(cross @ self.precision() * cross, axis=1)  #~

    def predict(self, wanted):
        return self.mean(wanted)[:, 0], self.variance(wanted)


class SharedPrecision(BogModel):
    def predict(self, wanted):
        cross, precision = self.kernel(wanted, self.places), self.precision()
        mean = cross @ precision @ self.moisture
        return mean[:, 0], self.wet - tf.reduce_sum(cross @ precision * cross, axis=1)


def fit(bog, rounds=3):
    wanted = tf.linspace(0.3, 4.7, 6)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            mean, variance = bog.predict(wanted)
            surprise = tf.square(mean - tf.sin(wanted)) / variance + tf.math.log(variance)
            loss = tf.reduce_mean(surprise)
        reach, wet = tape.gradient(loss, [bog.reach, bog.wet])
        bog.reach.assign_sub(0.001 * reach)
        bog.wet.assign_sub(0.001 * wet)
    return {"reach": reach, "wet": wet}


def broken():
    return fit(BogModel())


def fixed():
    return fit(SharedPrecision())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
