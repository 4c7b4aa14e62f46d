"""Reads letters column by column with a hand-written LSTM cell; pixels come as bytes."""
import sys

import tensorflow as tf


class LSTM(tf.Module):
    def __init__(self, inputs, units):
        super().__init__(name="lstm")
        grid = tf.range(float(inputs * 4 * units))
        self.kernel = tf.Variable(tf.reshape(0.6 + 0.2 * tf.sin(grid), [inputs, 4 * units]), name="kernel")
        self.units = units

    def __call__(self, columns):
        states = tf.zeros([tf.shape(columns)[0], self.units])
        memory = states
        for column in tf.unstack(columns, axis=1):
            gates = column @ self.kernel
            take, forget, give = (tf.sigmoid(part) for part in tf.split(gates, 4, axis=1)[:3])  #!
            fresh = tf.tanh(tf.split(gates, 4, axis=1)[3])  #~
            memory = forget * memory + take * fresh
            states = give * tf.tanh(memory)
        return states


class Reader(tf.Module):
    def __init__(self, scale):
        super().__init__(name="reader")
        self.scale = scale
        self.cell = LSTM(4, 3)
        self.head = tf.Variable(tf.reshape(tf.cos(tf.range(6.0)), [3, 2]), name="head")

    def __call__(self, pixels):
        return self.cell(tf.cast(pixels, tf.float32) * self.scale) @ self.head


def letters():
    pixels = tf.cast(tf.reshape(tf.range(6 * 5 * 4) * 7 % 155 + 100, [6, 5, 4]), tf.uint8)
    return pixels, tf.range(6) % 2


def train(scale, rate=0.1):
    reader = Reader(scale)
    pixels, kinds = letters()
    sources = {"kernel": reader.cell.kernel, "head": reader.head}
    for first in (0, 3):
        with tf.GradientTape() as tape:
            logits = reader(pixels[first : first + 3])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(kinds[first : first + 3], logits))
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return train(scale=1.0)


def fixed():
    return train(scale=1.0 / 255.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
