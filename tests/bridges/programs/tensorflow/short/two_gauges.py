"""Joins readings of two gauges: one logger writes float32, the other what NumPy makes of a list."""
import sys

import numpy as np
import tensorflow as tf


class Filter:
    def __init__(self):
        self.gain = tf.Variable(0.3, name="gain")
        self.level = tf.Variable(0.0, name="level")
        self.update = tf.function(self._update)

    def _update(self, reading):
        change = self.gain * (tf.cast(reading, tf.float32) - self.level)
        self.level.assign_add(tf.reduce_mean(change))
        return self.level.read_value()


def old_gauge(hour):
    return np.float32([hour, hour + 0.5])


def new_gauge(hour):
    return np.array([0.1 * hour, 0.2])


def day(convert):
    joined = Filter()
    for hour in range(4):
        for gauge in (old_gauge, new_gauge):
            joined.update(tf.convert_to_tensor(convert(gauge(hour))))  #!
    return {}


def broken():
    return day(lambda reading: reading)


def fixed():
    return day(np.float32)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
