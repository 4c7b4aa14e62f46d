"""A small transformer block over letters, with RMS normalisation; sentences are padded with zeros."""
import sys

import tensorflow as tf


class RMSNorm(tf.Module):
    def __init__(self, width, epsilon=0.0, name=None):
        super().__init__(name=name)
        self.scale = tf.Variable(tf.ones([width]), name="norm_scale")
        self.epsilon = epsilon

    def __call__(self, x):
        power = tf.reduce_mean(tf.square(x), axis=-1, keepdims=True)
        return x * tf.math.rsqrt(power + self.epsilon) * self.scale  #!


class Block(tf.Module):
    def __init__(self, width=4, epsilon=0.0):
        super().__init__(name="block")
        grid = tf.reshape(tf.range(float(width * width)), [width, width])
        self.norm = RMSNorm(width, epsilon)
        self.query = tf.Variable(0.3 * tf.sin(grid), name="query")
        self.key = tf.Variable(0.3 * tf.cos(grid), name="key")
        self.value = tf.Variable(0.3 * tf.sin(grid + 1.0), name="value")

    def __call__(self, letters, present):
        x = self.norm(letters)
        scores = tf.einsum("bqd,bkd->bqk", x @ self.query, x @ self.key) / 2.0
        scores += (1.0 - present[:, tf.newaxis, :]) * -1e4
        return letters + tf.nn.softmax(scores) @ (x @ self.value)


def sentences():
    letters = tf.reshape(tf.sin(tf.range(4 * 5 * 4.0) * 0.3 + 0.1), [4, 5, 4])
    present = tf.sequence_mask([5, 5, 3, 4], 5, tf.float32)
    return letters * present[..., tf.newaxis], present


def train(epsilon, rate=0.1):
    block = Block(epsilon=epsilon)
    letters, present = sentences()
    sources = {"query": block.query, "value": block.value, "norm_scale": block.norm.scale}
    for start in (0, 2):
        rows = slice(start, start + 2)
        with tf.GradientTape() as tape:
            out = block(letters[rows], present[rows])
            error = tf.reduce_sum(tf.square(out - tf.roll(letters[rows], 1, axis=1)), axis=-1)
            loss = tf.reduce_sum(error * present[rows]) / tf.reduce_sum(present[rows])
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return train(epsilon=0.0)


def fixed():
    return train(epsilon=1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
