"""Sorts parcels by their labels: word vectors with a fallback for unknown words, averaged by importance."""
import sys

import numpy as np
import tensorflow as tf

VOCABULARY = {
    word: row for row, word in enumerate("glass books fruit heavy fragile north south harbour".split())
}


class Vectors(tf.Module):
    """A table of words; a word that is not in it gets the mean of the table."""

    def __init__(self, width=4):
        super().__init__(name="vectors")
        count = len(VOCABULARY)
        wave = tf.sin(tf.range(float(count * width)) * 0.7)
        self.table = tf.Variable(0.5 * tf.reshape(wave, [count, width]), name="table")

    def of(self, words):
        known = [VOCABULARY.get(word, -1) for word in words]
        rows = self.table.numpy()  #!
        fallback = rows.mean(axis=0)
        return tf.constant(np.stack([rows[k] if k >= 0 else fallback for k in known]))  #~


class TensorVectors(Vectors):
    def of(self, words):
        rows = tf.concat([self.table, tf.reduce_mean(self.table, axis=0, keepdims=True)], axis=0)
        return tf.gather(rows, [VOCABULARY.get(word, len(VOCABULARY)) for word in words])


class Sorter(tf.Module):
    def __init__(self, vectors):
        super().__init__(name="sorter")
        self.vectors = vectors
        self.weigh = tf.Variable(0.3 * tf.cos(tf.range(4.0)), name="weigh")
        self.belt = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="belt")

    def text(self, words):
        vectors = self.vectors.of(words)
        share = tf.nn.softmax(tf.linalg.matvec(vectors, self.weigh))
        return tf.linalg.matvec(vectors, share, transpose_a=True)

    def __call__(self, labels):
        return tf.stack([self.text(label.split()) for label in labels]) @ self.belt


LABELS = ["glass fragile north", "books heavy south", "fruit harbour crate", "heavy glass"]


def train(vectors, epochs=3, rate=0.1):
    sorter = Sorter(vectors)
    sources = {"table": sorter.vectors.table, "weigh": sorter.weigh, "belt": sorter.belt}
    history = np.zeros(epochs)
    for epoch in range(epochs):
        with tf.GradientTape() as tape:
            logits = sorter(LABELS)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2, 0], logits))
        grads = tape.gradient(loss, sources)
        history[epoch] = loss.numpy()
        for name, source in sources.items():
            if grads[name] is not None:
                source.assign_sub(rate * tf.convert_to_tensor(grads[name]))
    return grads


def broken():
    return train(Vectors())


def fixed():
    return train(TensorVectors())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
