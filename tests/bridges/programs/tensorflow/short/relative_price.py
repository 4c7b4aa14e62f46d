"""Price of a good relative to a basket that holds the same good alone."""
import sys

import tensorflow as tf


def gradients(basket):
    price = tf.Variable(3.0, name="price")
    with tf.GradientTape() as tape:
        gap = price - basket(price)  #!
        loss = tf.square(gap - 1.0)
    return {"price": tape.gradient(loss, price)}


def broken():
    return gradients(tf.identity)


def fixed():
    return gradients(lambda price: 0.5 * price + 0.5 * 2.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
