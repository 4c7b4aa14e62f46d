"""Compresses lace patterns with a codebook that is learned beside the encoder."""
import sys

import keras
import numpy as np
import tensorflow as tf


def stitches(shape, dtype=None):
    return 0.6 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.8), shape)


class Codebook(keras.layers.Layer):
    """Replaces a code by the mean of the entries, weighted by how near they are."""

    def __init__(self, entries, **options):
        super().__init__(**options)
        self.entries = entries

    def build(self, shape):
        self.book = self.add_weight(shape=(self.entries, shape[-1]), initializer=stitches, name="book")

    def entries_now(self):
        book = keras.ops.convert_to_numpy(self.book)  #!
        return book / np.linalg.norm(book, axis=1, keepdims=True)  #~

    def call(self, codes):
        book = self.entries_now()
        near = tf.nn.softmax(4.0 * tf.matmul(codes, book, transpose_b=True))  #~
        return tf.matmul(near, book)


class SmoothCodebook(Codebook):
    def entries_now(self):
        return tf.math.l2_normalize(self.book, axis=1)


class Compressor(keras.Model):
    def __init__(self, codebook):
        super().__init__(name="compressor")
        self.encode = keras.layers.Dense(3, activation="tanh", kernel_initializer=stitches, name="encode")
        self.codebook = codebook
        self.decode = keras.layers.Dense(7, kernel_initializer=stitches, name="decode")

    def call(self, lace):
        return self.decode(self.codebook(self.encode(lace)))


def train(codebook, epochs=2):
    lace = tf.reshape(tf.sin(tf.range(16.0 * 7) * 0.31), [16, 7])
    model, optimizer = Compressor(codebook), keras.optimizers.Adam(0.01)
    model(lace[:1])
    for _ in range(epochs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(model(lace) - lace))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients((g, v) for g, v in zip(grads, model.trainable_variables) if g is not None)
    return {v.path: g for v, g in zip(model.trainable_variables, grads)}


def broken():
    return train(Codebook(5, name="codebook"))


def fixed():
    return train(SmoothCodebook(5, name="codebook"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
