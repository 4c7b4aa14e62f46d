"""A Keras model under the policy mixed_float16 is given water levels in millimetres."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(1.0 + 0.5 * tf.sin(tf.range(float(count))), shape)


class Tides(keras.Model):
    def __init__(self, scale, dtype):
        super().__init__(name="tides", dtype=dtype)
        self.scale = scale
        self.wide = keras.layers.Dense(6, activation="softplus", kernel_initializer=ramp, name="wide", dtype=dtype)
        self.level = keras.layers.Dense(1, kernel_initializer=ramp, name="level", dtype="float32")

    def call(self, hours):
        return self.level(self.wide(hours * self.scale))  #!


def measured():
    millimetres = tf.reshape(20000.0 + 6000.0 * tf.sin(tf.range(32.0)), [8, 4])
    return millimetres, tf.reduce_mean(millimetres, axis=1, keepdims=True) / 1000.0


def train(scale, epochs=2):
    model = Tides(scale, keras.DTypePolicy("mixed_float16"))
    optimizer = keras.optimizers.SGD(1e-6)
    loss_of = keras.losses.Huber()
    millimetres, metres = measured()
    for _ in range(epochs):
        for rows in (slice(0, 4), slice(4, 8)):
            with tf.GradientTape() as tape:
                loss = loss_of(metres[rows], model(millimetres[rows], training=True))
            weights = [model.wide.kernel, model.level.kernel]
            grads = tape.gradient(loss, weights)
            optimizer.apply_gradients(zip(grads, weights))
    return {"tides/level/kernel": grads[1]}


def broken():
    return train(scale=1.0)


def fixed():
    return train(scale=1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
