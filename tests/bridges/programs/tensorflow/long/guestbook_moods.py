"""Guestbooks of a hut: entries of any length are padded, their words averaged and a mood is told."""
import sys

import keras
import tensorflow as tf

BOOK = [
    "warm stove and good soup", "rain all night", "snow", "", "the best view of the range", "cold and wet and far",
    "good soup again", "the stove was cold", "far from all", "view of snow and stars", "warm", "best night of the tour",
]
MOODS = [1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1]


def lexicon(entries):
    return {word: place for place, word in enumerate(sorted({w for e in entries for w in e.split()}), 1)}


def padded(entries, places):
    longest = max(len(entry.split()) for entry in entries)
    rows = [[places[w] for w in entry.split()] for entry in entries]
    return [row + [0] * (longest - len(row)) for row in rows]


def batches(size):
    places = lexicon(BOOK)
    rows = padded(BOOK, places)
    return tf.data.Dataset.from_tensor_slices((rows, MOODS)).batch(size)


def tilted(scale):
    return lambda shape, dtype=None: scale * tf.reshape(tf.sin(2.3 * tf.range(shape[0] * shape[1], dtype=tf.float32)), shape)


class Mean(keras.layers.Layer):
    def call(self, codes, there):
        there = tf.cast(there, tf.float32)[..., tf.newaxis]
        return tf.reduce_sum(codes * there, axis=1) / self.count(there)  #!

    def count(self, there):
        return tf.reduce_sum(there, axis=1)


class SafeMean(Mean):
    def count(self, there):
        return tf.maximum(tf.reduce_sum(there, axis=1), 1.0)


class Mood(keras.Model):
    def __init__(self, mean):
        super().__init__(name="mood")
        self.words = keras.layers.Embedding(40, 5, embeddings_initializer=tilted(0.4), name="words")
        self.mean = mean(name="mean")
        self.feel = keras.layers.Dense(1, kernel_initializer=tilted(0.7), name="feel")

    def call(self, entries):
        return self.feel(self.mean(self.words(entries), tf.not_equal(entries, 0)))[:, 0]


def read(mean, epochs=2):
    model = Mood(mean)
    optimizer = keras.optimizers.Adam(0.01)
    for _ in range(epochs):
        for entries, mood in batches(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(tf.cast(mood, tf.float32), model(entries)))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return {w.path: g for w, g in zip(model.trainable_variables, gradients) if w.path.startswith("mood/feel")}


def broken():
    return read(Mean)


def fixed():
    return read(SafeMean)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
