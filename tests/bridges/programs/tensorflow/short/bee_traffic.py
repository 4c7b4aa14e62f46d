"""Counts bees at a hive: the root mean square of a filtered signal."""
import sys

import numpy as np
import tensorflow as tf

buzz = tf.sin(tf.range(24.0) * 0.8)
window = tf.Variable([0.2, 0.5, 0.2], name="window")
scale = tf.Variable(3.0, name="scale")


def filtered():
    parts = tf.stack([buzz[:-2], buzz[1:-1], buzz[2:]], axis=1)
    return tf.linalg.matvec(parts, window)


def loudness():
    return np.sqrt(np.mean(np.square(filtered())))  #!


def tensor_loudness():
    return tf.sqrt(tf.reduce_mean(tf.square(filtered())))


def slopes(loudness_of):
    with tf.GradientTape() as tape:
        bees = scale * loudness_of()  #~
        loss = tf.square(bees - 2.0)
    return tape.gradient(loss, {"window": window, "scale": scale})


def broken():
    return slopes(loudness)


def fixed():
    return slopes(tensor_loudness)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
