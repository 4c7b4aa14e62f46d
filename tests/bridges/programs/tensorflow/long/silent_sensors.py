"""Forecasts the load of a substation; each window is brought to unit spread by learned weights of its channels."""
import sys

import keras
import tensorflow as tf

WINDOWS, HOURS, CHANNELS = 6, 12, 4


def mains(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.45), shape)


class Standardise(keras.layers.Layer):
    def __init__(self, floor, name="standardise"):
        super().__init__(name=name)
        self.floor = floor
        self.gain = self.add_weight(shape=(CHANNELS,), initializer="ones", name="gain")

    def call(self, window):
        window = window * self.gain
        centre = tf.reduce_mean(window, axis=1, keepdims=True)
        if self.floor:
            spread = tf.sqrt(tf.math.reduce_variance(window, axis=1, keepdims=True) + self.floor)
        else:
            spread = tf.math.reduce_std(window, axis=1, keepdims=True)  #!
        return tf.concat([(window - centre) / (spread + 1e-3), spread], axis=1)


class Forecast(keras.Model):
    def __init__(self, floor):
        super().__init__(name="forecast")
        self.standardise = Standardise(floor)
        self.flatten = keras.layers.Flatten()
        self.hidden = keras.layers.Dense(10, "tanh", kernel_initializer=mains, name="hidden")
        self.load = keras.layers.Dense(1, kernel_initializer=mains, name="load")

    def call(self, window):
        return self.load(self.hidden(self.flatten(self.standardise(window))))[:, 0]


def day():
    window = tf.reshape(tf.sin(tf.range(float(WINDOWS * HOURS * CHANNELS)) * 0.19), [WINDOWS, HOURS, CHANNELS])
    works = tf.constant([1.0, 1.0, 0.0, 1.0])  # the third sensor is disconnected
    return window * works, tf.reduce_mean(window[:, -3:, 0], axis=1)


def train(floor):
    window, load = day()
    model = Forecast(floor)
    optimizer = keras.optimizers.Adam(1e-3)
    with tf.GradientTape() as tape:
        loss = keras.losses.huber(load, model(window, training=True))  #~
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {w.path: g for w, g in zip(model.trainable_variables, grads) if w is model.standardise.gain}


def broken():
    return train(floor=0.0)


def fixed():
    return train(floor=1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
