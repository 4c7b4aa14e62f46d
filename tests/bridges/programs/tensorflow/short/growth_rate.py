"""Exponential growth of cultures over a long time."""
import sys

import tensorflow as tf

days = tf.constant([98.0, 99.0, 100.0])


def gradients(grow):
    rate = tf.Variable(1.2, name="rate")
    with tf.GradientTape() as tape:
        size = grow(rate)
        share = size / tf.reduce_sum(size)
        loss = tf.reduce_sum(tf.square(share - 0.3))
    return {"rate": tape.gradient(loss, rate)}


def exponential(rate):
    return tf.exp(rate * days)  #!


def shifted(rate):
    exponent = rate * days
    return tf.exp(exponent - tf.reduce_max(exponent))


def broken():
    return gradients(exponential)


def fixed():
    return gradients(shifted)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
