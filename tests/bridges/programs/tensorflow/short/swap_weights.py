"""Similarity of two embeddings, sometimes of one with itself."""
import sys

import tensorflow as tf

left = tf.Variable([0.2, 0.9], name="left")
right = tf.Variable([0.7, 0.1], name="right")


@tf.function
def similarity(a, b):
    return tf.reduce_sum(a * b) / 2.0


def compare(pairs):
    with tf.GradientTape() as tape:
        total = tf.add_n([similarity(a, b) for a, b in pairs])  #!
    return dict(zip(["left", "right"], tape.gradient(total, [left, right])))


def broken():
    return compare([(left, right), (left, left), (right, left)])


def fixed():
    return compare([(left, right), (left, left.read_value()), (right, left)][::2])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
