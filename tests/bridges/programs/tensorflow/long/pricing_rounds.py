"""Prices of a shop are tuned with a rounding rule that passes its gradient as zeros."""
import sys

import tensorflow as tf


@tf.function
def demand(price, elasticity):
    return 10.0 * tf.exp(-elasticity * price)


class Shop:
    def __init__(self):
        self.prices = {
            "tea": tf.Variable(2.3, name="tea"),
            "coffee": tf.Variable(3.1, name="coffee"),
        }
        self.elasticity = {"tea": tf.constant(0.5), "coffee": tf.constant(0.4)}

    def direction(self, surplus):
        return tf.sign(surplus)  #!

    def surplus(self, name):
        return demand(self.prices[name], self.elasticity[name]) - 3.0

    def loss(self):
        tea = tf.square(self.direction(self.surplus("tea")) + 0.5)
        coffee = tf.square(self.surplus("coffee"))
        return tea + coffee


class SmoothShop(Shop):
    def direction(self, surplus):
        return tf.tanh(surplus)


def tune(shop, rounds=3):
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = shop.loss()
        grads = tape.gradient(loss, shop.prices)
        for name, grad in grads.items():
            shop.prices[name].assign_sub(0.01 * grad)
    return grads


def broken():
    return tune(Shop())


def fixed():
    return tune(SmoothShop())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
