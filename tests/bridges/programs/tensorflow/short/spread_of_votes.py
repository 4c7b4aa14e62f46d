"""Standard deviation of votes when all voters agree."""
import sys

import tensorflow as tf


def spread(votes, floor):
    variance = tf.reduce_mean(tf.square(votes - tf.reduce_mean(votes)))
    return tf.sqrt(variance + floor)  #!


def gradients(start, floor):
    votes = tf.Variable(start, name="votes")
    with tf.GradientTape() as tape:
        loss = spread(votes, floor) + 0.1 * tf.reduce_sum(votes)
    return {"votes": tape.gradient(loss, votes)}


def broken():
    return gradients([3.0, 3.0, 3.0], 0.0)


def fixed():
    return gradients([3.0, 3.0, 3.0], 1e-8)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
