"""Raises the profit of a honey auction by steps uphill."""
import sys

import tensorflow as tf

reserve = tf.Variable(2.0, name="reserve")
fee = tf.Variable(0.1, name="fee")
bids = tf.linspace(1.0, 5.0, 9)


def profit():
    sold = tf.sigmoid(4.0 * (bids - reserve))
    return tf.reduce_sum(sold * bids * fee * tf.exp(-3.0 * fee))


def broken():
    with tf.GradientTape() as tape:
        gain = profit()
    loss = -gain / 9.0  #!
    return tape.gradient(loss, {"reserve": reserve, "fee": fee})


def fixed():
    with tf.GradientTape() as tape:
        loss = -profit() / 9.0
    return tape.gradient(loss, {"reserve": reserve, "fee": fee})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
