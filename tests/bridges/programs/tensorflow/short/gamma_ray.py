"""Order and argument of a polygamma term in a decay model."""
import sys

import tensorflow as tf


def broken():
    order = tf.Variable(1.0, name="order")
    energy = tf.Variable(2.5, name="energy")
    with tf.GradientTape() as tape:
        rate = tf.math.polygamma(order, energy)  #!
        loss = tf.square(rate - 0.4)
    return dict(zip(["order", "energy"], tape.gradient(loss, [order, energy])))


def fixed():
    order = tf.Variable(1.0, name="order")
    energy = tf.Variable(2.5, name="energy")
    with tf.GradientTape() as tape:
        lower = tf.math.polygamma(1.0, energy)
        upper = tf.math.polygamma(2.0, energy)
        share = order - 1.0
        rate = (1.0 - share) * lower + share * upper
        loss = tf.square(rate - 0.4)
    return dict(zip(["order", "energy"], tape.gradient(loss, [order, energy])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
