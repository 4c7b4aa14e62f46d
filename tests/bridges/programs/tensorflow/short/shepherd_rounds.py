"""Counts of sheep on four pastures, one function for the slope of each."""
import sys

import tensorflow as tf

grass = tf.Variable([0.3, 0.5], name="grass")


def slope(weather):
    with tf.GradientTape() as tape:
        sheep = tf.reduce_sum(tf.exp(-weather * grass))
    return tape.gradient(sheep, grass)


def anew():
    for day in range(4):
        weather = tf.constant([0.1 * day, 0.2])
        yield tf.function(slope)(weather)  #!


def kept():
    compiled = tf.function(slope)
    for day in range(4):
        yield compiled(tf.constant([0.1 * day, 0.2]))


def total(rounds):
    return {"grass": tf.add_n(list(rounds()))}


def broken():
    return total(anew)


def fixed():
    return total(kept)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
