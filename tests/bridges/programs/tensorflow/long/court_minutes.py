"""Summarises minutes in half precision: attention with a mask for padding, and a head for importance."""
import sys

import tensorflow as tf


class HalfAttention(tf.Module):
    """Weights in float32, arithmetic in float16."""

    def __init__(self, width=4, hidden=-1e9):
        super().__init__(name="attention")
        grid = tf.range(float(width * width))
        self.query = tf.Variable(0.3 * tf.reshape(tf.sin(grid), [width, width]), name="query")
        self.value = tf.Variable(0.3 * tf.reshape(tf.cos(grid), [width, width]), name="value")
        self.hidden = tf.constant(hidden)

    def half(self, tensor):
        return tf.cast(tensor, tf.float16)

    def mask(self, present):
        return self.half(self.hidden) * self.half(1.0 - present)  #!

    def __call__(self, words, present):
        words = self.half(words)
        scores = tf.matmul(words @ self.half(self.query), words, transpose_b=True)
        scores = scores + self.mask(present)[:, tf.newaxis, :]
        return tf.matmul(tf.nn.softmax(scores), words @ self.half(self.value))


class Summary(tf.Module):
    def __init__(self, attention):
        super().__init__(name="summary")
        self.attention = attention
        self.weight = tf.Variable(0.3 * tf.cos(tf.range(4.0))[:, tf.newaxis], name="weight")

    def __call__(self, words, present):
        x = tf.cast(self.attention(words, present), tf.float32)
        return tf.squeeze(x @ self.weight, axis=-1) * present


def minutes():
    words = tf.reshape(tf.sin(tf.range(6 * 5 * 4.0) * 0.21), [6, 5, 4])
    lengths = tf.constant([5, 5, 4, 3, 2, 0])
    return words, tf.sequence_mask(lengths, 5, tf.float32)


def train(attention, rate=0.1):
    summary = Summary(attention)
    words, present = minutes()
    important = tf.cast(words[:, :, 0] > 0.0, tf.float32)
    sources = {"query": attention.query, "value": attention.value, "weight": summary.weight}
    for rows in (slice(0, 2), slice(2, 4), slice(4, 6)):
        with tf.GradientTape() as tape:
            logits = summary(words[rows], present[rows])
            entropy = tf.nn.sigmoid_cross_entropy_with_logits(important[rows], logits)
            loss = tf.reduce_sum(entropy * present[rows]) / tf.maximum(tf.reduce_sum(present[rows]), 1.0)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return train(HalfAttention())


def fixed():
    return train(HalfAttention(hidden=-1e4))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
