"""Two stacked linear layers predict germination; how they start decides all."""
import sys

import tensorflow as tf

batches = tf.constant([[0.5, 1.0], [1.0, 0.2]])
sprouted = tf.constant([[0.6], [0.9]])


def gradients(start):
    inner = tf.Variable(start([2, 3]), name="inner")
    outer = tf.Variable(start([3, 1]), name="outer")
    with tf.GradientTape() as tape:
        code = tf.matmul(batches, inner)  #~
        loss = tf.reduce_mean(tf.square(tf.matmul(code, outer) - sprouted))  #!
    return tape.gradient(loss, {"inner": inner, "outer": outer})


def broken():
    return gradients(tf.zeros)


def fixed():
    return gradients(lambda shape: tf.reshape(tf.range(1.0, 1.0 + shape[0] * shape[1]), shape) / 10.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
