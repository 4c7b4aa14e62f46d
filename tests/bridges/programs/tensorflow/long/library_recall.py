"""Readers and books meet in one table; the norm of all gradients is clipped by hand, over several small batches."""
import sys

import tensorflow as tf


class Shelves(tf.Module):
    def __init__(self, entries=4000, width=8):
        super().__init__("shelves")
        values = 0.1 * tf.sin(tf.range(float(entries * width)) * 0.37)
        self.places = tf.Variable(tf.reshape(values, [entries, width]), name="places")
        self.taste = tf.Variable(tf.ones([width]), name="taste")

    def score(self, readers, books):
        a, b = tf.gather(self.places, readers), tf.gather(self.places, books)
        return tf.reduce_sum(a * b * self.taste, axis=1)


def global_norm(grads):
    total = 0.0
    for grad in grads:
        total += tf.reduce_sum(tf.square(grad))  #!
    return tf.sqrt(total)


def sparse_global_norm(grads):
    total = 0.0
    for grad in grads:
        if isinstance(grad, tf.IndexedSlices):
            rows, place = tf.unique(grad.indices)
            grad = tf.math.unsorted_segment_sum(grad.values, place, tf.size(rows))
        total += tf.reduce_sum(tf.square(grad))
    return tf.sqrt(total)


def clipped(grads, most, norm_of):
    scale = most / tf.maximum(norm_of(grads), most)
    return [
        tf.IndexedSlices(grad.values * scale, grad.indices) if isinstance(grad, tf.IndexedSlices) else grad * scale
        for grad in grads
    ]


def evening(norm_of, batches=3):
    shelves = Shelves()
    for k in range(batches):
        readers, books = tf.constant([7, 19, 23]) + k, tf.constant([901, 2077, 901]) + 3 * k
        with tf.GradientTape() as tape:
            likes = shelves.score(readers, books)
            loss = tf.reduce_mean(tf.nn.softplus(-likes))
        places, taste = clipped(tape.gradient(loss, [shelves.places, shelves.taste]), 0.1, norm_of)
        shelves.places.scatter_sub(places)
        shelves.taste.assign_sub(taste)
    return {"taste": taste}


def broken():
    return evening(global_norm)


def fixed():
    return evening(sparse_global_norm)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
