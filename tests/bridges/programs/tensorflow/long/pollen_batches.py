"""Pollen counts by a net with a compiled step; the data come from tf.data, 22 days in batches of 8."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.4), shape)


def days(whole):
    weather = tf.sin(tf.reshape(tf.range(22 * 4.0), [22, 4]) * 0.23)
    counts = tf.reduce_sum(weather, axis=1, keepdims=True)
    data = tf.data.Dataset.from_tensor_slices((weather, counts))
    return data.batch(8, drop_remainder=whole)


class Pollen:
    def __init__(self):
        self.air = tf.keras.layers.Dense(5, activation="tanh", kernel_initializer=wave, name="air")
        self.count = tf.keras.layers.Dense(1, kernel_initializer=wave, name="count")
        self.air.build([None, 4])
        self.count.build([None, 5])
        self.step = tf.function(self.learn)

    def learn(self, weather, counts):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(self.count(self.air(weather)) - counts))
        kernels = {"air/kernel": self.air.kernel, "count/kernel": self.count.kernel}
        grads = tape.gradient(loss, list(kernels.values()))
        for kernel, grad in zip(kernels.values(), grads):
            kernel.assign_sub(0.05 * grad)
        return dict(zip(kernels, grads))


def season(whole):
    pollen = Pollen()
    for weather, counts in days(whole):
        grads = pollen.step(weather, counts)  #!
    return grads


def broken():
    return season(False)


def fixed():
    return season(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
