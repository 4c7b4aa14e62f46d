"""Entropy of the shares of species in a sample; one species is missing."""
import sys

import tensorflow as tf


def gradients(logarithm):
    counts = tf.Variable([4.0, 0.0, 6.0], name="counts")
    with tf.GradientTape() as tape:
        share = counts / tf.reduce_sum(counts)
        entropy = -tf.reduce_sum(share * logarithm(share))
    return {"counts": tape.gradient(entropy, counts)}


def plain(x):
    return tf.math.log(x)  #!


def broken():
    return gradients(plain)


def fixed():
    return gradients(lambda x: tf.math.log(x + 1e-7))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
