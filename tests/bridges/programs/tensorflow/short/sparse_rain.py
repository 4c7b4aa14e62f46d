"""Fractional power of rainfall with an exponent that is learned."""
import sys

import tensorflow as tf


def gradients(shift):
    wetness = tf.Variable([0.0, 1.5, 4.0], name="wetness")
    with tf.GradientTape() as tape:
        runoff = tf.pow(wetness + shift, 0.6)  #!
        loss = tf.reduce_mean(tf.square(runoff - 1.0))
    return {"wetness": tape.gradient(loss, wetness)}


def broken():
    return gradients(0.0)


def fixed():
    return gradients(1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
