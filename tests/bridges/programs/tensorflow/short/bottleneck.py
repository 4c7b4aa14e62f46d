"""Throughput of a line of three machines; only the slowest one counts."""
import sys

import tensorflow as tf


def gradients(combine):
    cutting = tf.Variable(4.0, name="cutting")
    welding = tf.Variable(9.0, name="welding")
    with tf.GradientTape() as tape:
        time = combine(cutting * 1.2, welding * 1.1)
        loss = tf.square(time - 5.0)
    return tape.gradient(loss, {"cutting": cutting, "welding": welding})


def slowest(a, b):
    return tf.maximum(a, b)  #!


def blended(a, b):
    return tf.reduce_logsumexp(tf.stack([a, b]))


def broken():
    return gradients(slowest)


def fixed():
    return gradients(blended)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
