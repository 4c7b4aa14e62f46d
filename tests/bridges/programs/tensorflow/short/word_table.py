"""A look-up in a large table of words whose penalty touches every row."""
import sys

import tensorflow as tf

words = tf.constant([3, 70, 512])


def gradients(penalty):
    table = tf.Variable(tf.reshape(tf.cos(tf.range(64000.0)), [8000, 8]), name="table")
    with tf.GradientTape() as tape:
        rows = tf.gather(table, words)
        loss = tf.reduce_sum(tf.square(rows - 0.5)) + 0.0 * penalty(table, rows)
    return {"table": tf.convert_to_tensor(tape.gradient(loss, table))}


def whole(table, rows):
    return tf.reduce_sum(tf.square(table))  #!


def looked_up(table, rows):
    return tf.reduce_sum(tf.square(rows))


def broken():
    return gradients(whole)


def fixed():
    return gradients(looked_up)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
