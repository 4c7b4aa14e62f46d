"""Norm of a long feature vector in half precision."""
import sys

import tensorflow as tf


def gradients(dtype):
    weights = tf.Variable(tf.cast(tf.linspace(60.0, 120.0, 40), dtype), name="weights")
    with tf.GradientTape() as tape:
        energy = tf.reduce_sum(tf.square(weights))  #!
        loss = tf.square(energy / 4e4 - 1.0)
    return {"weights": tape.gradient(loss, weights)}


def broken():
    return gradients(tf.float16)


def fixed():
    return gradients(tf.float32)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
