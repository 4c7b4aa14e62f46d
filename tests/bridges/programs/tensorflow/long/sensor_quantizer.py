"""Quantisation-aware training of a sensor model: activations go through a fixed-point format."""
import sys

import tensorflow as tf


class FixedPoint:
    """Rounds to a grid of 2**bits steps over a range."""

    def __init__(self, bits, span):
        self.step = span / 2.0 ** bits

    def __call__(self, values):
        codes = tf.cast(values / self.step, tf.int32)  #!
        return tf.cast(codes, tf.float32) * self.step


class StraightThrough(FixedPoint):
    def __call__(self, values):
        codes = tf.floor(values / self.step) * self.step
        return values + tf.stop_gradient(codes - values)


class SensorModel(tf.Module):
    def __init__(self, quantizer):
        super().__init__(name="sensor")
        self.quantizer = quantizer
        self.front = tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="front")
        self.back = tf.Variable([[0.4], [-0.3], [0.8]], name="back")
        self.offset = tf.Variable([0.05], name="offset")

    def __call__(self, readings):
        hidden = tf.nn.tanh(tf.matmul(readings, self.front))
        return tf.matmul(self.quantizer(hidden), self.back) + self.offset


def batch():
    readings = tf.reshape(tf.cos(tf.range(24.0) / 2.0), [6, 4])
    return readings, tf.reduce_sum(tf.abs(readings), axis=1, keepdims=True)


def gradients(quantizer):
    model = SensorModel(quantizer)
    readings, targets = batch()
    with tf.GradientTape() as tape:
        outliers = tf.cast(tf.abs(readings) > 3.0, tf.float32)
        clean = readings * (1.0 - outliers)
        loss = tf.reduce_mean(tf.square(model(clean) - targets))
    sources = {"front": model.front, "back": model.back, "offset": model.offset}
    return tape.gradient(loss, sources)


def broken():
    return gradients(FixedPoint(bits=4, span=2.0))


def fixed():
    return gradients(StraightThrough(bits=4, span=2.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
