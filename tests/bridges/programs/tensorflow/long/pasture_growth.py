"""A Gaussian process for the growth of a pasture; hyperparameters are fitted to the marginal likelihood."""
import dataclasses
import sys

import keras
import tensorflow as tf

SETTINGS = {
    "length": {"start": 2.0, "learn": True},
    "amplitude": {"start": 1.0, "learn": True},
    "noise": {"start": 0.3, "learn": False},
}
ALL_LEARNED = {name: {**entry, "learn": True} for name, entry in SETTINGS.items()}


def positive(value):
    return tf.nn.softplus(value) + 1e-4


@dataclasses.dataclass
class Hyperparameters:
    raw: dict

    @classmethod
    def read(cls, settings):
        raw = {}
        for name, entry in settings.items():
            start = tf.math.log(tf.math.expm1(entry["start"]))
            raw[name] = tf.Variable(start, trainable=entry["learn"], name=name)  #!
        return cls(raw)

    def __getitem__(self, name):
        return positive(self.raw[name])  #~


class Process:
    def __init__(self, parameters, days, jitter=1e-5):
        self.parameters, self.days, self.jitter = parameters, days, jitter

    def covariance(self):
        apart = self.days[:, tf.newaxis] - self.days
        smooth = tf.exp(-0.5 * tf.square(apart / self.parameters["length"]))
        level = tf.square(self.parameters["noise"]) + self.jitter
        return tf.square(self.parameters["amplitude"]) * smooth + level * tf.eye(len(self.days))

    def evidence(self, growth):
        factor = tf.linalg.cholesky(self.covariance())
        weights = tf.linalg.cholesky_solve(factor, growth[:, tf.newaxis])
        fit = 0.5 * tf.reduce_sum(growth * tf.squeeze(weights, axis=1))
        return -fit - tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))


def maximise(settings, steps=4):
    days = tf.linspace(0.0, 9.0, 10)
    growth = tf.sin(days * 0.7) + 0.1 * tf.cos(13.0 * days)
    parameters = Hyperparameters.read(settings)
    process = Process(parameters, days)
    optimizer = keras.optimizers.Adam(0.05)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = -process.evidence(growth)
        grads = tape.gradient(loss, parameters.raw)
        known = [(grad, parameters.raw[name]) for name, grad in grads.items() if grad is not None]
        optimizer.apply_gradients(known)
    return grads


def broken():
    return maximise(SETTINGS)


def fixed():
    return maximise(ALL_LEARNED)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
