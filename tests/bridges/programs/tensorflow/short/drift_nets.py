"""Where drift nets end up: the distance of each net to its buoy, some of which never left."""
import sys

import tensorflow as tf

buoys = tf.constant([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
hours = tf.constant([[0.0], [5.0], [9.0]])
current = tf.Variable([0.2, -0.1], name="current")
slack = tf.Variable(0.5, name="slack")


def drift():
    return hours * current


def lengths(vectors):
    return tf.norm(vectors, axis=1)  #!


def safe_lengths(vectors):
    return tf.sqrt(tf.reduce_sum(tf.square(vectors), axis=1) + 1e-9)


def tension(length):
    return tf.nn.softplus(length(drift()) - slack)


def pull(length):
    with tf.GradientTape() as tape:
        ends = buoys + drift()
        loss = tf.reduce_mean(tension(length)) + 0.01 * tf.reduce_mean(tf.square(ends))
    return tape.gradient(loss, {"current": current, "slack": slack})


def broken():
    return pull(lengths)


def fixed():
    return pull(safe_lengths)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
