"""Dust in a quarry from six sensors and how much each varies in the batch; one was unplugged in the last hour."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.4 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.5), shape)


class Calibrate(tf.keras.layers.Layer):
    def build(self, shape):
        self.gain = self.add_weight(shape=(shape[-1],), initializer="ones", name="gain")

    def call(self, readings):
        return readings * self.gain


class Spread(tf.keras.layers.Layer):
    def __init__(self, least, **options):
        super().__init__(**options)
        self.least = least

    def call(self, readings):
        centre = tf.reduce_mean(readings, axis=0, keepdims=True)
        variance = tf.reduce_mean(tf.square(readings - centre), axis=0, keepdims=True)
        spread = tf.sqrt(variance + self.least)  #!
        return tf.concat([readings - centre, spread * tf.ones_like(readings)], axis=1)


def quarry(least):
    dust = tf.keras.layers.Dense(1, kernel_initializer=wave, name="dust")
    return tf.keras.Sequential([Calibrate(name="calibrate"), Spread(least), dust], name="quarry")


def readings(hour, unplugged):
    seen = tf.sin(tf.reshape(tf.range(48.0), [8, 6]) * 0.37 + hour)
    return seen * tf.constant([1.0, 1.0, 1.0, 0.0 if unplugged else 1.0, 1.0, 1.0])


def watch(least, hours=3):
    model = quarry(least)
    model.build([None, 6])
    optimizer = tf.keras.optimizers.SGD(0.05)
    for hour in range(hours):
        batch = readings(hour, unplugged=hour == hours - 1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(batch) - tf.reduce_max(batch, axis=1, keepdims=True)))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {"quarry/calibrate/gain": grads[0]}


def broken():
    return watch(0.0)


def fixed():
    return watch(1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
