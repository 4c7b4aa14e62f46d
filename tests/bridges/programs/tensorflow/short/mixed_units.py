"""Converts readings of several instruments with one compiled function."""
import sys

import tensorflow as tf

offset = tf.Variable(2.0, name="offset")


@tf.function
def convert(values):
    return tf.reduce_sum(tf.square(tf.cast(values, tf.float32) * 0.3 - offset))


def calibrate(batches):
    total = tf.constant(0.0)
    for values in batches:
        with tf.GradientTape() as tape:
            loss = convert(values)  #!
        total += tape.gradient(loss, offset)
    return {"offset": total}


def broken():
    return calibrate([tf.constant([1.0, 2.0]), tf.constant([3, 4]), tf.constant([5.0, 6.0], tf.float64)])


def fixed():
    return calibrate([tf.constant(values, tf.float32) for values in ([1, 2], [3, 4], [5, 6])])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
