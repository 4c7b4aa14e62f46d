"""A compass is turned until its needle agrees with a map: the angle between both directions is minimized."""
import sys

import tensorflow as tf


def direction(heading):
    return tf.stack([tf.cos(heading), tf.sin(heading)])


def angle(a, b):
    cosine = tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b))
    return tf.acos(tf.clip_by_value(cosine, -1.0, 1.0))  #!


def angle_safe(a, b):
    cross = a[0] * b[1] - a[1] * b[0]
    return tf.sqrt(tf.square(cross) + 1e-12)


class Compass:
    def __init__(self, heading):
        self.heading = tf.Variable(heading, name="heading")

    def settle(self, target, between, rounds=3, rate=0.5):
        for _ in range(rounds):
            with tf.GradientTape() as tape:
                off = between(direction(self.heading), target)
            slope = tape.gradient(off, self.heading)
            self.heading.assign_sub(rate * slope)
        return {"heading": slope}


def broken():
    return Compass(0.0).settle(tf.constant([1.0, 0.0]), angle)


def fixed():
    return Compass(0.05).settle(tf.constant([1.0, 0.0]), angle_safe)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
