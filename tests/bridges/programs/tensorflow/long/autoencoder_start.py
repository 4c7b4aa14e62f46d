"""An autoencoder of sensor rows whose layers are created by a factory with an initial scale."""
import sys

import tensorflow as tf


class Layers:
    """Creates the kernels of a stack and keeps them by name."""

    def __init__(self, scale):
        self.scale = scale
        self.kernels = {}

    def dense(self, name, rows, columns):
        values = tf.sin(tf.range(float(rows * columns)) + len(self.kernels))
        kernel = tf.Variable(self.scale * tf.reshape(values, [rows, columns]), name=name)  #~
        self.kernels[name] = kernel
        return lambda inputs: tf.matmul(inputs, kernel)  #!


class Autoencoder:
    def __init__(self, scale):
        self.layers = Layers(scale)
        self.encode = self.layers.dense("encode", 6, 3)
        self.decode = self.layers.dense("decode", 3, 6)
        self.offset = tf.Variable(tf.zeros([6]), name="offset")

    def __call__(self, rows):
        return self.decode(tf.tanh(self.encode(rows))) + self.offset


def sensor_rows():
    return tf.reshape(tf.cos(tf.range(48.0) / 5.0), [8, 6])


def train(scale, rounds=3, rate=0.05):
    model = Autoencoder(scale)
    rows = sensor_rows()
    sources = {**model.layers.kernels, "offset": model.offset}
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(rows) - rows))
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return train(scale=0.0)


def fixed():
    return train(scale=0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
