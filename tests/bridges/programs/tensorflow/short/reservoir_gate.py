"""Calibrates the gate of a reservoir against measured outflow."""
import sys

import tensorflow as tf

levels = tf.constant([1.0, 1.5, 2.2, 2.9])
outflow = tf.constant([0.9, 1.6, 2.6, 3.8])


def outflow_error(width, exponent):
    predicted = width * levels ** exponent  #~
    return tf.reduce_mean(tf.square(predicted - outflow))


def gradients(width, exponent):
    with tf.GradientTape() as tape:
        error = outflow_error(width, exponent)
    return dict(zip(("width", "exponent"), tape.gradient(error, [width, exponent])))


def broken():
    width = tf.Variable(0.8, name="width")
    exponent = tf.Variable(1.2, trainable=False, name="exponent")  #!
    return gradients(width, exponent)


def fixed():
    width = tf.Variable(0.8, name="width")
    exponent = tf.Variable(1.2, name="exponent")
    return gradients(width, exponent)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
