"""Carries errors of six measured quantities of a star through a small model to the eight it predicts."""
import sys

import tensorflow as tf

NAMES = ("mass", "age", "radius", "metal", "rotation", "distance", "dust", "tilt")


def glow(shape, dtype=None):
    return 0.4 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.29), shape)


class StarModel(tf.keras.Model):
    def __init__(self):
        super().__init__(name="star")
        self.inner = tf.keras.layers.Dense(10, activation="softplus", kernel_initializer=glow)
        self.outer = tf.keras.layers.Dense(len(NAMES), kernel_initializer=glow)

    def call(self, measured):
        return self.outer(self.inner(measured))


class Propagation:
    def __init__(self, model, covariance):
        self.model, self.covariance = model, covariance

    def slopes(self, measured):
        found = {}
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(measured)
            predicted = dict(zip(NAMES, tf.unstack(self.model(measured[tf.newaxis])[0])))
        for name, value in predicted.items():
            found[name] = tape.gradient(value, measured)  #!
        return tf.stack(list(found.values()))

    def errors(self, measured):
        slopes = self.slopes(measured)  #~
        return tf.sqrt(tf.linalg.diag_part(slopes @ self.covariance @ tf.transpose(slopes))), slopes


class WholePropagation(Propagation):
    def slopes(self, measured):
        with tf.GradientTape() as tape:
            tape.watch(measured)
            predicted = self.model(measured[tf.newaxis])[0]
        return tape.jacobian(predicted, measured)


def observe(propagation):
    propagation = propagation(StarModel(), tf.linalg.diag(0.01 + 0.005 * tf.range(6.0)))
    for night in range(3):
        measured = tf.sin(tf.range(6.0) * 0.7 + night)
        errors, slopes = propagation.errors(measured)
        print(" ".join(f"{name} {float(error):.3f}" for name, error in zip(NAMES, errors)))
    return {"measured": slopes[0]}


def broken():
    return observe(Propagation)


def fixed():
    return observe(WholePropagation)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
