"""The Neumann series of a price system: what each sector needs from all others."""
import sys

import tensorflow as tf

shares = tf.Variable([[0.1, 0.2, 0.05], [0.3, 0.1, 0.1], [0.05, 0.15, 0.2]], name="shares")
demand = tf.constant([[3.0], [1.5], [2.2]])


@tf.function
def needed(sectors):
    term = total = demand
    for _ in range(90):
        term = tf.matmul(sectors, term)  #!
        total = total + term  #~
    return tf.reduce_sum(tf.square(total))


@tf.function
def needed_in_a_loop(sectors):
    term = total = demand
    for _ in tf.range(90):
        term = tf.matmul(sectors, term)
        total = total + term
    return tf.reduce_sum(tf.square(total))


def slopes(function):
    with tf.GradientTape() as tape:
        cost = function(shares)
    return {"shares": tape.gradient(cost, shares)}


def broken():
    return slopes(needed)


def fixed():
    return slopes(needed_in_a_loop)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
