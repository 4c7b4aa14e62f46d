"""Fits the growth of apples; a scale is kept as a variable out of habit."""
import sys

import tensorflow as tf

weeks = tf.reshape(tf.range(4000.0), [-1, 4]) / 4000.0
size = tf.reduce_sum(weeks, axis=1) * 0.3


def gradients(scale):
    rate = tf.Variable([0.1, 0.2, 0.3, 0.1], name="rate")
    with tf.GradientTape() as tape:
        features = tf.tanh(weeks * scale)  #!
        loss = tf.reduce_mean(tf.square(tf.linalg.matvec(features, rate) - size))
    return {"rate": tape.gradient(loss, rate)}


def broken():
    scale = tf.Variable(tf.ones([1000, 4]), name="scale")  #~
    return gradients(scale)


def fixed():
    return gradients(tf.ones([1000, 4]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
