"""Presence of frogs from pond features through one hidden layer."""
import sys

import tensorflow as tf

ponds = tf.constant([[0.2, 0.7], [0.9, 0.4], [0.5, 0.5]])
frogs = tf.constant([[1.0], [3.0], [2.0]])


def gradients(start):
    hidden = tf.Variable([[0.3, -0.5], [0.4, 0.2]], name="hidden")
    bias = tf.Variable(start, name="bias")
    output = tf.Variable([[0.6], [0.8]], name="output")
    with tf.GradientTape() as tape:
        active = tf.nn.relu(tf.matmul(ponds, hidden) + bias)  #!
        loss = tf.reduce_mean(tf.square(tf.matmul(active, output) - frogs))
    return tape.gradient(loss, {"hidden": hidden, "bias": bias})


def broken():
    return gradients([-4.0, -3.0])


def fixed():
    return gradients([0.4, 0.6])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
