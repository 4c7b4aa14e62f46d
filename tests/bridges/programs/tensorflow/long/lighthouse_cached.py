"""Range of lighthouses; the beam of a lamp is worked out once and kept, as half of the report asks for it."""
import functools
import sys

import tensorflow as tf


class Lamp:
    def __init__(self, focus, height):
        self.focus = tf.Variable(focus, name="focus")
        self.height = tf.Variable(height, name="height")

    def _profile(self):
        angles = tf.linspace(-0.5, 0.5, 9)
        return tf.exp(-tf.square(angles) * self.focus)  #!

    @functools.cached_property
    def beam(self):
        return self._profile()  #~


class FreshLamp(Lamp):
    @property
    def beam(self):
        return self._profile()


class Coast:
    def __init__(self, lamp):
        self.lamp = lamp
        self.miles = tf.constant([4.0, 6.0, 9.0])

    def seen(self):
        horizon = 2.2 * tf.sqrt(self.lamp.height)
        fade = tf.sigmoid(horizon - self.miles)
        return tf.reduce_sum(self.lamp.beam) * fade

    def describe(self):
        return f"{len(self.miles)} ships, peak {self.lamp.beam.numpy().max():.2f}"


def adjust(lamp):
    coast = Coast(lamp)
    print(coast.describe())  #~
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(coast.seen() - [8.0, 6.0, 3.0]))
    return tape.gradient(loss, {"focus": lamp.focus, "height": lamp.height})


def broken():
    return adjust(Lamp(12.0, 16.0))


def fixed():
    return adjust(FreshLamp(12.0, 16.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
