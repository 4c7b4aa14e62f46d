"""Ripeness of melons by a small network that stops when it no longer gets better."""
import copy

import tensorflow as tf


class Patience:
    """Ends the training where the loss has not fallen for a while, and keeps the best weights."""

    def __init__(self, wait=5, least=1e-4):
        self.wait, self.least, self.best, self.since, self.kept = wait, least, float("inf"), 0, None

    def over(self, loss, weights):
        value = float(loss)
        if value < self.best - self.least:
            self.best, self.since = value, 0
            self.kept = [copy.copy(weight.numpy()) for weight in weights]
        else:
            self.since += 1
        return self.since >= self.wait


def melons():
    knocks = tf.reshape(tf.sin(tf.range(80.0) * 0.4), [20, 4])
    return knocks, tf.reduce_sum(tf.square(knocks), axis=1, keepdims=True)


def broken():
    knocks, ripe = melons()
    model = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(6, activation="tanh", kernel_initializer="ones", name="knock"),
                                 tf.keras.layers.Dense(1, kernel_initializer="ones", name="ripe")], name="melon")
    optimizer = tf.keras.optimizers.Adam(0.02)
    patience = Patience()
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(knocks) - ripe))
        if patience.over(loss, model.trainable_variables):
            break
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {"melon/knock/kernel": grads[0], "melon/ripe/kernel": grads[2]}


if __name__ == "__main__":
    print(broken())
