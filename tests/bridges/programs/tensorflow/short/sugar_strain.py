"""Strain of a spun sugar thread by its heights, and how each part of it answers to each knot."""
import sys

import tensorflow as tf

KNOTS = 16


def strain(heights):
    stretch = heights[1:] - heights[:-1]
    return tf.sqrt(1.0 + tf.square(stretch)) * tf.exp(0.1 * heights[1:])


def by_row(heights):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(heights)
        pulled = tf.unstack(strain(heights))
    rows = []
    for part in pulled:
        rows.append(tape.gradient(part, heights))  #!
    del tape
    return tf.stack(rows)


def whole(heights):
    with tf.GradientTape() as tape:
        tape.watch(heights)
        pulled = strain(heights)
    return tape.jacobian(pulled, heights)


def analyse(matrix):
    heights = tf.sin(tf.linspace(0.0, 3.0, KNOTS), name="heights")
    return {"heights": matrix(heights)}


def broken():
    return analyse(by_row)


def fixed():
    return analyse(whole)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
