"""Attention over sentences with a mask; one sentence is empty."""
import sys

import tensorflow as tf


class Attention(tf.Module):
    def __init__(self):
        super().__init__(name="attention")
        self.query = tf.Variable([[0.3], [-0.2], [0.5]], name="query")
        self.value = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(6.0)), [3, 2]), name="value")

    def weights(self, words, mask):
        scores = tf.exp(tf.matmul(words, self.query))[:, :, 0] * mask
        return scores / tf.reduce_sum(scores, axis=1, keepdims=True)  #!

    def __call__(self, words, mask):
        share = self.weights(words, mask)
        return tf.reduce_sum(share[:, :, None] * tf.matmul(words, self.value), axis=1)


class GuardedAttention(Attention):
    def weights(self, words, mask):
        scores = tf.exp(tf.matmul(words, self.query))[:, :, 0] * mask
        return tf.math.divide_no_nan(scores, tf.reduce_sum(scores, axis=1, keepdims=True))


class Reader:
    def __init__(self, attention):
        self.attention = attention
        self.words = tf.reshape(tf.cos(tf.range(36.0) / 4.0), [3, 4, 3])
        self.lengths = tf.constant([4, 0, 2])

    def mask(self):
        return tf.sequence_mask(self.lengths, 4, dtype=tf.float32)

    def loss(self):
        summary = self.attention(self.words, self.mask())
        return tf.reduce_mean(tf.square(summary - 0.2))

    def gradients(self):
        with tf.GradientTape() as tape:
            loss = self.loss()
        return tape.gradient(loss, {"query": self.attention.query, "value": self.attention.value})


def broken():
    return Reader(Attention()).gradients()


def fixed():
    return Reader(GuardedAttention()).gradients()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
