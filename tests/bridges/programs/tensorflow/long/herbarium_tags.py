"""Sheets of a herbarium carry tags: a sparse matrix of sheets by tags is scored by a linear model."""
import sys

import tensorflow as tf


class TagModel(tf.Module):
    def __init__(self, tags=10):
        super().__init__("tags")
        self.worth = tf.Variable(tf.sin(tf.range(float(tags)))[:, None], name="worth")

    @tf.function
    def update(self, sheets, ages):
        with tf.GradientTape() as tape:
            guess = tf.sparse.sparse_dense_matmul(sheets, self.worth)[:, 0]
            loss = tf.reduce_mean(tf.square(guess - ages))
        grad = tape.gradient(loss, self.worth)
        self.worth.assign_sub(0.1 * grad)
        return grad


def drawer(rows, first):
    """The sheets of one drawer, two tags each."""
    where = [[row, tag] for row in range(rows) for tag in ((first + row) % 5, 5 + row % 5)]
    return tf.sparse.SparseTensor(where, tf.ones([2 * rows]), [rows, 10])


def padded(sheets, ages, rows=6):
    wide = tf.sparse.reset_shape(sheets, [rows, 10])
    return wide, tf.pad(ages, [[0, rows - ages.shape[0]]])


def as_they_are(sheets, ages):
    return sheets, ages


def catalogue(prepare):
    model = TagModel()
    for first, rows in enumerate((6, 6, 4)):
        sheets, ages = prepare(drawer(rows, first), 0.1 * tf.range(float(rows)))
        grad = model.update(sheets, ages)  #!
    return {"worth": grad}


def broken():
    return catalogue(as_they_are)


def fixed():
    return catalogue(padded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
