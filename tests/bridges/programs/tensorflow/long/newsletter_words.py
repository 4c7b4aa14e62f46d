"""Learns word vectors for a newsletter; the loss wipes out the sparsity of the table's gradient."""
import sys

import tensorflow as tf


class Vectors(tf.Module):
    def __init__(self, words, size):
        super().__init__(name="vectors")
        values = tf.cos(tf.range(float(words * size)))
        self.table = tf.Variable(0.1 * tf.reshape(values, [words, size]), name="table")
        self.context = tf.Variable(tf.linspace(-0.5, 0.5, size), name="context")

    def rows(self, ids):
        normalised = tf.nn.l2_normalize(self.table, axis=1)  #!
        return tf.gather(normalised, ids)  #~


class LookedUpVectors(Vectors):
    def rows(self, ids):
        return tf.nn.l2_normalize(tf.gather(self.table, ids), axis=1)


class Newsletter:
    def __init__(self, vectors):
        self.vectors = vectors
        self.ids = tf.constant([5, 18, 733, 2400, 18])
        self.opened = tf.constant([1.0, 0.0, 1.0, 1.0, 0.0])

    def loss(self):
        scores = tf.linalg.matvec(self.vectors.rows(self.ids), self.vectors.context)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(self.opened, scores)
        return tf.reduce_mean(losses)

    def gradients(self):
        with tf.GradientTape() as tape:
            loss = self.loss()
        table, context = tape.gradient(loss, [self.vectors.table, self.vectors.context])
        return {"table": tf.convert_to_tensor(table), "context": context}


def broken():
    return Newsletter(Vectors(words=5000, size=8)).gradients()


def fixed():
    return Newsletter(LookedUpVectors(words=5000, size=8)).gradients()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
