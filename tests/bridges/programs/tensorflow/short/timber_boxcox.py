"""Chooses the power of a Box-Cox transform of timber lengths from a grid."""
import sys

import tensorflow as tf


def transform(lengths, power):
    return (tf.pow(lengths, power) - 1.0) / power  #!


def guarded(lengths, power):
    return tf.cond(tf.abs(power) < 1e-6, lambda: tf.math.log(lengths), lambda: (tf.pow(lengths, power) - 1.0) / power)


def score(shape):
    lengths = tf.constant([0.7, 1.1, 2.4, 3.9])
    scale = tf.Variable(1.3, name="scale")
    grid = tf.linspace(-1.0, 1.0, 5)
    with tf.GradientTape() as tape:
        fits = [tf.math.reduce_variance(shape(lengths * scale, power)) for power in tf.unstack(grid)]
        total = tf.add_n(fits)
    return {"scale": tape.gradient(total, scale)}


def broken():
    return score(transform)


def fixed():
    return score(guarded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
