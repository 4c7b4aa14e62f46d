"""A Gaussian copula of storm and hail losses: ranks become normal scores, and a correlation is fitted."""
import sys

import tensorflow as tf


def ranks(losses):
    order = tf.argsort(tf.argsort(losses))
    return tf.cast(order + 1, tf.float32)


class Copula(tf.Module):
    def __init__(self, pad):
        super().__init__()
        self.pad = pad
        self.raw = tf.Variable(0.2, name="raw")

    def scores(self, losses):
        count = tf.cast(tf.size(losses), tf.float32)
        return tf.math.ndtri(ranks(losses) / (count + self.pad))  #!

    def log_density(self, storm, hail):
        rho = tf.tanh(self.raw)
        a, b = self.scores(storm), self.scores(hail)
        rest = 1.0 - rho ** 2
        return -0.5 * tf.math.log(rest) - (rho ** 2 * (a ** 2 + b ** 2) - 2.0 * rho * a * b) / (2.0 * rest)


class Fit:
    def __init__(self, copula):
        self.copula = copula
        self.optimizer = tf.keras.optimizers.Adam(0.05)

    def step(self, storm, hail):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.copula.log_density(storm, hail))
        grad = tape.gradient(loss, self.copula.raw)
        self.optimizer.apply_gradients([(grad, self.copula.raw)])
        return grad


def estimate(pad):
    years = tf.range(12.0)
    storm = tf.exp(tf.sin(years))
    hail = tf.exp(tf.sin(years + 0.4))
    fit = Fit(Copula(pad))
    first = fit.step(storm, hail)
    return {"raw": first}


def broken():
    return estimate(0.0)


def fixed():
    return estimate(1.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
