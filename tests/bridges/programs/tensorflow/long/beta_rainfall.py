"""Shares of wet days follow a beta distribution; its distribution function is fitted to what was counted."""
import sys

import tensorflow as tf


class Beta:
    """tf.math.betainc as a layer: its two shapes are learned in log form."""

    def __init__(self):
        self.raw = {"wet": tf.Variable(0.3, name="wet"), "dry": tf.Variable(0.8, name="dry")}

    def shapes(self):
        return tf.exp(self.raw["wet"]), tf.exp(self.raw["dry"])

    def below(self, share):
        a, b = self.shapes()
        return tf.math.betainc(tf.fill(tf.shape(share), a), tf.fill(tf.shape(share), b), share)  #!


class Kumaraswamy(Beta):
    """Much the same form, in closed form."""

    def below(self, share):
        a, b = self.shapes()
        return 1.0 - tf.pow(1.0 - tf.pow(share, a), b)


class Calibration(tf.Module):
    """Straightens what a gauge shows before it is looked up."""

    def __init__(self):
        super().__init__(name="calibration")
        self.bend = tf.Variable(1.1, name="bend")

    def __call__(self, shown):
        return tf.clip_by_value(tf.pow(shown, self.bend), 0.01, 0.99)


def fit(curve, steps=3, rate=0.05):
    gauge = Calibration()
    shown = tf.linspace(0.1, 0.9, 9)
    counted = tf.stop_gradient(tf.sin(shown * 1.5))
    sources = {"wet": curve.raw["wet"], "dry": curve.raw["dry"], "bend": gauge.bend}
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(curve.below(gauge(shown)) - counted))
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            if grad is not None:
                sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return fit(Beta())


def fixed():
    return fit(Kumaraswamy())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
