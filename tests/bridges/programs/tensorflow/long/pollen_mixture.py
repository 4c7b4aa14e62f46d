"""A mixture of two normal distributions of pollen sizes, fitted by likelihood."""
import math
import sys

import tensorflow as tf


class Component:
    def __init__(self, mean, log_width, name):
        self.mean = tf.Variable(mean, name=f"{name}_mean")
        self.log_width = tf.Variable(log_width, name=f"{name}_log_width")

    def log_density(self, sizes):
        scaled = (sizes - self.mean) * tf.exp(-self.log_width)
        return -0.5 * tf.square(scaled) - self.log_width - 0.5 * math.log(2.0 * math.pi)


class Mixture:
    def __init__(self):
        self.small = Component(1.05, -2.0, "small")
        self.large = Component(3.0, -2.0, "large")

    def log_likelihood(self, sizes):
        small = tf.exp(self.small.log_density(sizes))
        large = tf.exp(self.large.log_density(sizes))
        return tf.math.log(0.5 * small + 0.5 * large)  #!


class StableMixture(Mixture):
    def log_likelihood(self, sizes):
        parts = tf.stack([self.small.log_density(sizes), self.large.log_density(sizes)])
        return tf.reduce_logsumexp(parts, axis=0) + math.log(0.5)


def sample_sizes():
    return tf.constant([0.9, 1.1, 2.8, 3.2, 9.5])


def fit(mixture, rounds=1):
    components = {
        "small_mean": mixture.small.mean,
        "large_mean": mixture.large.mean,
        "large_log_width": mixture.large.log_width,
    }
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(mixture.log_likelihood(sample_sizes()))
        grads = tape.gradient(loss, components)
    return grads


def broken():
    return fit(Mixture())


def fixed():
    return fit(StableMixture())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
