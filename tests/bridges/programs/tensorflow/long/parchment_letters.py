"""Reads letters on parchment with weight normalization: each filter is a direction times a length."""
import sys

import tensorflow as tf


class Normalized(tf.keras.layers.Layer):
    def __init__(self, units, name):
        super().__init__(name=name)
        self.units = units

    def build(self, shape):
        start = tf.reshape(tf.sin(tf.range(1.0, 1.0 + shape[-1] * self.units)), [shape[-1], self.units])
        self.direction = self.add_weight(shape=start.shape, name="direction", initializer=lambda shape, dtype=None: start)
        self.length = self.add_weight(shape=(self.units,), initializer="ones", name="length")
        self.offset = self.add_weight(shape=(self.units,), initializer="zeros", name="offset")
        self.kernel = self.length * self.normal()  #!

    def normal(self):
        return self.direction / tf.norm(self.direction, axis=0)

    def call(self, inputs):
        return inputs @ self.kernel + self.offset


class Renormalized(Normalized):
    def call(self, inputs):
        return inputs @ (self.length * self.normal()) + self.offset


class Reader(tf.keras.Model):
    def __init__(self, kind):
        super().__init__(name="reader")
        self.strokes = kind(5, name="strokes")
        self.strokes.build((None, 4))
        self.letter = tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.Constant(0.1), name="letter")

    def call(self, scans):
        return self.letter(tf.nn.silu(self.strokes(scans)))


def train(kind, steps=3):
    scans = tf.reshape(tf.cos(tf.range(32.0) * 0.7), [8, 4])
    letters = tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
    reader = Reader(kind)
    reader(scans[:1])
    optimizer = tf.keras.optimizers.SGD(0.1)
    crossentropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    weights = [reader.strokes.direction, reader.strokes.length, reader.strokes.offset]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = crossentropy(letters, reader(scans))
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients((g, w) for g, w in zip(grads, weights) if g is not None)
    return dict(zip(("strokes/direction", "strokes/length", "strokes/offset"), grads))


def broken():
    return train(Normalized)


def fixed():
    return train(Renormalized)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
