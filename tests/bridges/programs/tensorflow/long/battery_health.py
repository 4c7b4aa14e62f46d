"""Estimates the health of batteries; each epoch ends with a check on cycles that were measured on a bench."""
import sys

import numpy as np
import tensorflow as tf


class HealthModel(tf.Module):
    def __init__(self):
        super().__init__(name="health")
        self.curve = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(20.0)), [4, 5]), name="curve")
        self.fade = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(5.0)), [5, 1]), name="fade")

    def __call__(self, cycles):
        cycles = tf.cast(cycles, tf.float32)
        return tf.squeeze(tf.nn.selu(cycles @ self.curve) @ self.fade, axis=1)


class Laboratory:
    """Cycles of the field as float32, cycles of the bench as the bench's files hold them."""

    def __init__(self, bench_dtype):
        grid = np.arange(32.0)
        self.field = tf.constant(np.sin(grid * 0.3).reshape(8, 4), tf.float32)
        self.bench = np.cos(grid * 0.2).reshape(8, 4).astype(bench_dtype)
        self.health = tf.linspace(0.7, 1.0, 8)


class Study:
    def __init__(self, laboratory):
        self.model, self.laboratory = HealthModel(), laboratory

    @tf.function
    def deviation(self, cycles, health):
        return tf.reduce_mean(tf.abs(self.model(cycles) - health))

    def train_epoch(self, rate=0.05):
        sources = {"curve": self.model.curve, "fade": self.model.fade}
        with tf.GradientTape() as tape:
            loss = self.deviation(self.laboratory.field, self.laboratory.health)  #~
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
        return grads

    def check(self):
        return self.deviation(self.laboratory.bench, self.laboratory.health)  #!

    def run(self, epochs=3):
        history = []
        for _ in range(epochs):
            grads = self.train_epoch()
            history.append(self.check())
        return grads


def broken():
    return Study(Laboratory(np.float64)).run()


def fixed():
    return Study(Laboratory(np.float32)).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
