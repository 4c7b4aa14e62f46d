"""Sugar in grapes is forecast; after each batch the error on the kept vines is watched, to stop early."""
import sys

import tensorflow as tf


class Forecast(tf.keras.Model):
    def __init__(self):
        super().__init__(name="forecast")
        half = tf.keras.initializers.Constant(0.05)
        self.leaf = tf.keras.layers.Dense(16, activation="swish", kernel_initializer=half, name="leaf")
        self.sugar = tf.keras.layers.Dense(1, kernel_initializer=half, name="sugar")

    def call(self, vines):
        return self.sugar(self.leaf(vines))


class EarlyStop:
    def __init__(self, patience):
        self.best, self.waited, self.patience = float("inf"), 0, patience

    def update(self, error):
        self.waited = 0 if error < self.best else self.waited + 1
        self.best = min(self.best, error)
        return self.waited >= self.patience


class Grower:
    def __init__(self, kept):
        self.model, self.kept = Forecast(), kept
        self.optimizer = tf.keras.optimizers.Adam(0.01)
        self.gap = 0.0

    def error(self, vines, sugar):
        return tf.reduce_mean(tf.square(self.model(vines) - sugar))

    def step(self, vines, sugar):
        with tf.GradientTape() as tape:
            loss = self.error(vines, sugar)
            self.gap = self.error(*self.kept)  #!
        return self.apply(tape, loss)

    def apply(self, tape, loss):
        weights = self.model.trainable_variables
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients(zip(grads, weights))
        return {"forecast/leaf/kernel": grads[0], "forecast/sugar/kernel": grads[2]}


class PatientGrower(Grower):
    def step(self, vines, sugar):
        with tf.GradientTape() as tape:
            loss = self.error(vines, sugar)
        self.gap = self.error(*self.kept)
        return self.apply(tape, loss)


def grow(kind):
    vines = tf.reshape(tf.sin(tf.range(512.0) * 0.3), [128, 4])
    sugar = tf.reduce_sum(vines, axis=1, keepdims=True)
    grower, stop = kind((vines[64:], sugar[64:])), EarlyStop(5)
    for start in range(0, 64, 16):
        grads = grower.step(vines[start : start + 16], sugar[start : start + 16])
    stop.update(float(grower.gap))
    return grads


def broken():
    return grow(Grower)


def fixed():
    return grow(PatientGrower)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
