"""Headways of trams: a small Keras net scores each stop of a line and the scores are added to the line's delay."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.7), shape)


class Delay(tf.keras.Model):
    def __init__(self):
        super().__init__(name="delay")
        self.inner = tf.keras.layers.Dense(6, activation="tanh", kernel_initializer=wave, name="inner")
        self.outer = tf.keras.layers.Dense(1, kernel_initializer=wave, name="outer")

    def call(self, stops):
        return self.outer(self.inner(stops))


def line_loss(model, stops, wanted):
    total = 0.0
    for i in range(stops.shape[0]):
        predicted = model(stops[i : i + 1])  #!
        total += tf.reduce_sum(tf.square(predicted - wanted[i]))  #~
    return total / stops.shape[0]


def batch_loss(model, stops, wanted):
    return tf.reduce_mean(tf.square(tf.squeeze(model(stops), axis=1) - wanted))


def drive(loss_of, days=2):
    model = Delay()
    model.build([None, 5])
    optimizer = tf.keras.optimizers.SGD(0.05)
    for day in range(days):
        stops = tf.sin(tf.reshape(tf.range(24 * 5.0), [24, 5]) * 0.13 + day)
        wanted = tf.reduce_max(stops, axis=1)
        with tf.GradientTape() as tape:
            loss = loss_of(model, stops, wanted)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {variable.path: grad for variable, grad in zip(model.trainable_variables, grads)}


def broken():
    return drive(line_loss)


def fixed():
    return drive(batch_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
