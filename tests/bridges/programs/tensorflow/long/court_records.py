"""Reads court records with an attention layer whose gates are sigmoids; words carry counts, which are used as they are."""
import sys

import keras
import tensorflow as tf


def glyphs(shape, dtype=None):
    return 0.8 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 1.7 + 0.3), shape)


class Attention(keras.layers.Layer):
    def __init__(self, width, scaled, **options):
        super().__init__(**options)
        self.width, self.scaled = width, scaled
        project = lambda name: keras.layers.Dense(width, use_bias=False, kernel_initializer=glyphs, name=name)
        self.query, self.key, self.value = project("query"), project("key"), project("value")

    def scores(self, words):
        if self.scaled:
            words = 0.2 * keras.ops.log(1.0 + words)
        scores = tf.matmul(self.query(words), self.key(words), transpose_b=True)
        return scores / tf.sqrt(float(self.width)) if self.scaled else scores

    def call(self, words, mask):
        scores = self.scores(words)
        scores += -1e9 * (1.0 - mask[:, tf.newaxis, :])
        share = tf.sigmoid(scores) / tf.reduce_sum(mask, axis=1)[:, tf.newaxis, tf.newaxis]  #!
        return tf.matmul(share, self.value(words / 100.0))


class Reader(keras.Model):
    def __init__(self, scaled, **options):
        super().__init__(**options)
        self.attention = Attention(4, scaled, name="attention")
        self.norm = keras.layers.LayerNormalization(name="norm")
        self.verdict = keras.layers.Dense(2, kernel_initializer=glyphs, name="verdict")

    def call(self, words, mask):
        x = self.norm(self.attention(words, mask))
        return self.verdict(tf.reduce_sum(x * mask[:, :, tf.newaxis], axis=1))


def records():
    counts = tf.reshape(tf.range(90) * 17 % 61, [6, 5, 3])
    lengths = tf.constant([5, 4, 3, 5, 2, 4])
    return (
        tf.cast(counts, tf.float32),
        tf.sequence_mask(lengths, 5, tf.float32),
        tf.constant([0, 1, 0, 1, 1, 0]),
    )


def train(scaled, steps=2):
    words, mask, verdict = records()
    reader = Reader(scaled, name="reader")
    optimizer = keras.optimizers.SGD(0.05)
    cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = cross_entropy(verdict, reader(words, mask))
        weights = reader.trainable_variables
        grads = tape.gradient(loss, weights)
        optimizer.apply(grads, weights)
    return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return train(scaled=False)


def fixed():
    return train(scaled=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
