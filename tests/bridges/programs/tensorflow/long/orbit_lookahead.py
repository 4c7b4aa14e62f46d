"""Fits an orbit with a lookahead optimiser: fast weights run ahead, slow weights follow them."""
import sys

import tensorflow as tf


class Orbit(tf.Module):
    def __init__(self):
        super().__init__(name="orbit")
        self.axes = tf.Variable([1.4, 0.9], name="axes")
        self.phase = tf.Variable(0.2, name="phase")
        self.drift = tf.Variable(0.01, name="drift")

    def at(self, weights, time):
        angle = time + weights["phase"]
        place = tf.stack([tf.cos(angle), tf.sin(angle)], axis=1) * weights["axes"]
        return place + weights["drift"] * time[:, tf.newaxis]

    def weights(self):
        return {"axes": self.axes, "phase": self.phase, "drift": self.drift}


def snapshot(variables):
    return {name: tf.identity(variable) for name, variable in variables.items()}  #!


class Lookahead:
    """After every few steps the weights go a part of the way from the slow to the fast ones."""

    def __init__(self, orbit, rate=0.1, part=0.5, every=3):
        self.orbit, self.rate, self.part, self.every = orbit, rate, part, every
        self.slow = snapshot(orbit.weights())

    def synchronise(self):
        fast = snapshot(self.orbit.weights())
        for name, variable in self.orbit.weights().items():
            self.slow[name] += self.part * (fast[name] - self.slow[name])
            variable.assign(self.slow[name])  #~
        return fast

    def used(self, number):
        return self.orbit.weights()

    def step(self, time, seen, number):
        weights = self.used(number)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.orbit.at(weights, time) - seen))  #~
        sources = self.orbit.weights()
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            if grads[name] is not None:
                source.assign_sub(self.rate * grads[name])
        return grads


class SnapshotLookahead(Lookahead):
    def used(self, number):
        return self.synchronise() if number % self.every == self.every - 1 else super().used(number)


class SynchronisedLookahead(Lookahead):
    def used(self, number):
        if number % self.every == self.every - 1:
            self.synchronise()
        return super().used(number)


def observe(kind, steps=6):
    time = tf.linspace(0.0, 6.0, 25)
    seen = tf.stack([1.5 * tf.cos(time), 0.8 * tf.sin(time)], axis=1)
    optimiser = kind(Orbit())
    for number in range(steps):
        grads = optimiser.step(time, seen, number)
    return grads


def broken():
    return observe(SnapshotLookahead)


def fixed():
    return observe(SynchronisedLookahead)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
