"""How the weight of crabs grows with the width of their shell: a power law in two helper functions."""
import sys

import tensorflow as tf


class PowerLaw(tf.Module):
    def __init__(self, least):
        super().__init__()
        self.least = least
        self.unit = tf.Variable(2.0, name="unit")
        self.exponent = tf.Variable(0.6, name="exponent")

    def __call__(self, width):
        return tf.pow(width / self.unit + self.least, self.exponent)  #!


def fit(law, steps=3, rate=0.01):
    widths, weights = tf.constant([0.0, 2.0, 3.0, 4.5]), tf.constant([0.0, 1.1, 1.5, 2.1])
    sources = {"unit": law.unit, "exponent": law.exponent}
    for count in range(2, steps + 2):
        with tf.GradientTape() as tape:
            error = law(widths[-count:]) - weights[-count:]
            loss = tf.reduce_mean(error * error)
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return fit(PowerLaw(0.0))


def fixed():
    return fit(PowerLaw(1e-3))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
