"""Angle between a needle and north from a normalised dot product."""
import sys

import tensorflow as tf


def gradients(limit):
    needle = tf.Variable([1.0, 0.0], name="needle")
    north = tf.constant([1.0, 0.0])
    with tf.GradientTape() as tape:
        cosine = tf.reduce_sum(needle * north)
        angle = tf.acos(limit * cosine)  #!
        loss = tf.square(angle - 0.1)
    return {"needle": tape.gradient(loss, needle)}


def broken():
    return gradients(1.0)


def fixed():
    return gradients(1.0 - 1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
