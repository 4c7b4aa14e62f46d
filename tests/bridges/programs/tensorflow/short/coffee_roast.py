"""Browning of beans in a compiled function with a learned rate."""
import sys

import tensorflow as tf

seconds = tf.round(tf.constant([60.2, 119.7, 240.1]))
rate = tf.Variable(0.01, name="rate")  #~
colour = tf.Variable(0.7, name="colour")


@tf.function
def browning(t):
    with tf.init_scope():
        frozen = rate.numpy()  #!
    return colour * (1.0 - tf.exp(-frozen * t))


@tf.function
def browning_live(t):
    return colour * (1.0 - tf.exp(-rate * t))


def gradients(model):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(seconds) - 0.5))  #~
    return dict(zip(["rate", "colour"], tape.gradient(loss, [rate, colour])))


def broken():
    return gradients(browning)


def fixed():
    return gradients(browning_live)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
