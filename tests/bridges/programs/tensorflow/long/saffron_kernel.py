"""Prices of saffron by kernel regression: ridge weights of fixed inducing days, scaled by what is learned."""
import sys

import tensorflow as tf


def gram(days, width):
    return tf.exp(-tf.square(days[:, None] - days[None, :]) / (2.0 * width ** 2))


class Ridge:
    def __init__(self, days, width=3.0, jitter=0.1):
        self.days, self.width, self.jitter = days, width, jitter
        self.slope = tf.Variable(0.5, name="slope")
        self.level = tf.Variable(0.1, name="level")

    def factor(self):
        matrix = gram(self.days, self.width) + self.jitter * tf.eye(tf.shape(self.days)[0])
        return tf.linalg.cholesky(matrix)  #!

    def smooth(self, prices):
        solved = tf.linalg.cholesky_solve(self.factor(), prices[:, None])  #~
        return tf.squeeze(gram(self.days, self.width) @ solved, axis=1)

    def loss(self, prices, sold):
        expected = self.slope * self.smooth(prices) + self.level  #~
        return tf.reduce_mean(tf.math.squared_difference(expected, sold))


class FactoredOnce(Ridge):
    def __init__(self, days):
        super().__init__(days)
        self.kept = super().factor()

    def factor(self):
        return self.kept


def season(ridge_of, steps=8):
    days = tf.range(0.0, 90.0)
    prices = 4.0 + tf.sin(days * 0.2)
    sold = 2.0 + tf.cos(days * 0.1)
    ridge = ridge_of(days)
    optimizer = tf.keras.optimizers.SGD(0.01)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = ridge.loss(prices, sold)
        grads = tape.gradient(loss, [ridge.slope, ridge.level])
        optimizer.apply_gradients(zip(grads, [ridge.slope, ridge.level]))
    return {"slope": grads[0], "level": grads[1]}


def broken():
    return season(Ridge)


def fixed():
    return season(FactoredOnce)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
