"""A network with ternary weights whose rounding has a hand-written gradient."""
import sys

import tensorflow as tf


@tf.custom_gradient
def ternary(weights, threshold):
    inside = tf.abs(weights) < threshold
    rounded = tf.where(inside, 0.0, tf.sign(weights))

    def backward(upstream):
        passes = tf.cast(tf.abs(weights) < 1.0, tf.float32)
        return upstream * passes, None  #!

    return rounded, backward


@tf.custom_gradient
def ternary_learned(weights, threshold):
    inside = tf.abs(weights) < threshold
    rounded = tf.where(inside, 0.0, tf.sign(weights))

    def backward(upstream):
        passes = tf.cast(tf.abs(weights) < 1.0, tf.float32)
        near = tf.exp(-tf.square(tf.abs(weights) - threshold))
        return upstream * passes, -tf.reduce_sum(upstream * tf.sign(weights) * near)

    return rounded, backward


class TernaryLayer:
    def __init__(self, rounding, rows, columns, phase):
        self.rounding = rounding
        values = tf.sin(tf.range(float(rows * columns)) + phase)
        self.kernel = tf.Variable(tf.reshape(values, [rows, columns]), name=f"kernel_{int(phase)}")
        self.threshold = tf.Variable(0.35, name=f"threshold_{int(phase)}")

    def __call__(self, inputs):
        return tf.matmul(inputs, self.rounding(self.kernel, self.threshold))  #~


class Network:
    def __init__(self, rounding):
        self.layers = [TernaryLayer(rounding, 4, 5, 0.0), TernaryLayer(rounding, 5, 2, 1.0)]

    def __call__(self, inputs):
        hidden = tf.tanh(self.layers[0](inputs))
        return self.layers[1](hidden)


def gradients(rounding):
    network = Network(rounding)
    inputs = tf.reshape(tf.cos(tf.range(20.0)), [5, 4])
    targets = tf.reshape(tf.sin(tf.range(10.0)), [5, 2])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(network(inputs) - targets))
    sources = {}
    for k, layer in enumerate(network.layers):
        sources[f"kernel_{k}"], sources[f"threshold_{k}"] = layer.kernel, layer.threshold
    return tape.gradient(loss, sources)


def broken():
    return gradients(ternary)


def fixed():
    return gradients(ternary_learned)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
