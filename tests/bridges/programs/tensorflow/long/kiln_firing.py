"""Firing curves of a kiln: ramp and soak are fitted to what the thermocouples logged."""
import functools
import logging
import sys

import tensorflow as tf

log = logging.getLogger("kiln")


class Kiln:
    def __init__(self, ramp=2.0, soak=910.0):
        self.ramp = tf.Variable(ramp, name="ramp")
        self.soak = tf.Variable(soak, name="soak")
        self.minutes = tf.linspace(0.0, 600.0, 61)

    def curve(self):
        rising = self.ramp * self.minutes  #!
        return self.soak * tf.tanh(rising / self.soak)

    @property
    def weights(self):
        return [self.ramp, self.soak]


class CachedKiln(Kiln):
    @functools.cached_property
    def profile(self):
        return self.curve()

    def hottest(self):
        return float(tf.reduce_max(self.profile))


class FreshKiln(Kiln):
    @property
    def profile(self):
        return self.curve()

    def hottest(self):
        return float(tf.reduce_max(self.profile))


class Firing:
    """One firing: what was measured, and how far the kiln's curve is from it."""

    def __init__(self, kiln, loss_of_heat=0.05):
        self.kiln = kiln
        measured = 870.0 * tf.tanh(2.3 * kiln.minutes / 870.0)
        self.measured = tf.stop_gradient(measured * (1.0 - loss_of_heat))

    def miss(self):
        worst = 0.01 * (self.kiln.soak - 900.0) ** 2
        return tf.reduce_mean(tf.square(self.kiln.profile - self.measured)) + worst


def fit(make, steps=2):
    kiln = make()
    firing = Firing(kiln)
    log.info("before the fit it reaches %.0f degrees", kiln.hottest())
    optimizer = tf.keras.optimizers.SGD(1e-6)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            miss = firing.miss()
        grads = tape.gradient(miss, kiln.weights)
        optimizer.apply_gradients([(g, w) for g, w in zip(grads, kiln.weights) if g is not None])
    return {"ramp": grads[0], "soak": grads[1]}


def broken():
    return fit(CachedKiln)


def fixed():
    return fit(FreshKiln)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
