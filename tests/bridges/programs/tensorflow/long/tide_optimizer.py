"""Harmonics of the tide are fitted by a small optimizer that compiles what it is asked to minimize."""
import sys

import tensorflow as tf


class Descent:
    def __init__(self, rate):
        self.rate = rate
        self.compiled = {}

    def minimize(self, objective, weights, key=None):
        def slopes():
            with tf.GradientTape() as tape:
                value = objective()
            return tape.gradient(value, weights)

        if key is None:
            grads = tf.function(slopes)()  #!
        else:
            if key not in self.compiled:
                self.compiled[key] = tf.function(slopes)
            grads = self.compiled[key]()
        for weight, grad in zip(weights, grads):
            weight.assign_sub(self.rate * grad)
        return grads


class Tide:
    def __init__(self):
        self.amplitude = tf.Variable([0.5, 0.2], name="amplitude")
        self.phase = tf.Variable([0.0, 0.3], name="phase")
        self.hours = tf.linspace(0.0, 24.0, 25)
        self.measured = tf.sin(0.5 * self.hours) + 0.3 * tf.sin(1.1 * self.hours + 0.4)

    def misfit(self):
        waves = self.amplitude * tf.sin(self.hours[:, None] * tf.constant([0.5, 1.1]) + self.phase)
        return tf.reduce_mean(tf.square(tf.reduce_sum(waves, axis=1) - self.measured))


def fit(key, rounds=4):
    tide, descent = Tide(), Descent(0.1)
    for _ in range(rounds):
        amplitude, phase = descent.minimize(tide.misfit, [tide.amplitude, tide.phase], key)
    return {"amplitude": amplitude, "phase": phase}


def broken():
    return fit(None)


def fixed():
    return fit("misfit")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
