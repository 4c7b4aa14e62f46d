"""Yield of an orchard as a function of water and pruning; only some inputs are wanted."""
import sys

import tensorflow as tf


def crop(water, pruning):
    growth = tf.tanh(water * 0.7)  #~
    return growth * (1.5 - tf.square(pruning - 0.5))


def broken():
    water = tf.Variable(1.1, name="water")
    pruning = tf.Variable(0.2, name="pruning")
    with tf.GradientTape(watch_accessed_variables=False) as tape:  #!
        tape.watch(pruning)
        result = crop(water, pruning)
    grads = tape.gradient(result, {"water": water, "pruning": pruning})
    return grads


def fixed():
    water = tf.Variable(1.1, name="water")
    pruning = tf.Variable(0.2, name="pruning")
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([water, pruning])
        result = crop(water, pruning)
    return tape.gradient(result, {"water": water, "pruning": pruning})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
