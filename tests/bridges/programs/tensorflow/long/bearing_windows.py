"""Remaining life of compressor bearings: a network on windows of vibration, fitted by gradients that are accumulated over a shift."""
import sys

import keras
import tensorflow as tf

WINDOWS, SAMPLES = 32, 24


def wave(shape, dtype=None):
    return 0.15 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.37), shape)


class Prognosis(keras.Model):
    def __init__(self):
        super().__init__(name="prognosis")
        self.spectrum = keras.layers.Dense(16, "tanh", kernel_initializer=wave, name="spectrum")
        self.wear = keras.layers.Dense(8, "tanh", kernel_initializer=wave, name="wear")
        self.hours = keras.layers.Dense(1, kernel_initializer=wave, name="hours")

    def call(self, window):
        centred = window - tf.reduce_mean(window, axis=1, keepdims=True)
        return self.hours(self.wear(self.spectrum(centred)))


def readings(batch):
    window = tf.reshape(tf.cos(tf.range(float(WINDOWS * SAMPLES)) * 0.11), [WINDOWS, SAMPLES])
    life = 1.0 - tf.range(float(WINDOWS))[:, None] / WINDOWS
    return tf.data.Dataset.from_tensor_slices((window, life)).batch(batch)  #~


class Shift:
    """One pass over the readings of a shift, and one update at its end."""

    def __init__(self, model, rate=0.02):
        self.model, self.optimizer = model, keras.optimizers.SGD(rate)

    def run(self, dataset):
        totals, count, error = None, 0, 0.0
        for window, life in dataset:  #~
            with tf.GradientTape() as tape:  #~
                guessed = self.model(window, training=True)  #!
                loss = tf.reduce_sum(tf.square(guessed - life))  #~
            grads = tape.gradient(loss, self.model.trainable_variables)  #~
            totals = grads if totals is None else [a + b for a, b in zip(totals, grads)]  #~
            error += loss
            count += window.shape[0]
        means = [total / count for total in totals]
        self.optimizer.apply_gradients(zip(means, self.model.trainable_variables))
        return error / count, means


def season(batch):
    model = Prognosis()
    shift = Shift(model)
    for _ in range(2):
        _, means = shift.run(readings(batch))
    return {v.path: g for v, g in zip(model.trainable_variables, means)}


def broken():
    return season(batch=1)


def fixed():
    return season(batch=WINDOWS)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
