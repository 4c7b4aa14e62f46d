"""Calibrates a solar array: gains of strings in logarithms, the tilt of panels, and a compiled model of a
day.
"""
import sys

import numpy as np
import tensorflow as tf


class Array:
    """log_gain and tilt are tensors that an outside optimiser owns and replaces."""

    def __init__(self, strings=3):
        self.log_gain = tf.linspace(-0.2, 0.2, strings)  #~
        self.tilt = tf.constant(0.45)
        self.orientation = np.linspace(-0.3, 0.3, strings).astype("float32")

    def gains(self):
        return np.exp(self.log_gain)  #!

    def irradiance(self, height):
        angle = height[:, tf.newaxis] - self.tilt + self.orientation
        return 800.0 * tf.nn.relu(tf.cos(angle))

    @tf.function
    def power(self, height):
        return tf.reduce_sum(self.gains() * self.irradiance(height), axis=1)


class TensorArray(Array):
    def gains(self):
        return tf.exp(self.log_gain)


class Calibration:
    def __init__(self, array, heights, measured):
        self.array, self.heights, self.measured = array, heights, measured

    def misfit(self):
        power = self.array.power(self.heights)  #~
        return tf.reduce_mean(tf.square((power - self.measured) / 1000.0))

    def slopes(self):
        parameters = {"log_gain": self.array.log_gain, "tilt": self.array.tilt}
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            misfit = self.misfit()
        return misfit, tape.gradient(misfit, parameters)


def calibrate(array, days=3):
    heights = tf.linspace(0.1, 1.2, 9)
    measured = 2000.0 * tf.sin(heights) + 30.0 * tf.cos(9.0 * heights)
    calibration = Calibration(array, heights, measured)
    best = None
    for _ in range(days):
        misfit, grads = calibration.slopes()
        best = misfit if best is None else tf.minimum(best, misfit)
    return grads


def broken():
    return calibrate(Array())


def fixed():
    return calibrate(TensorArray())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
