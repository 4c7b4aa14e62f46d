"""The step of a clock's simulation is to be learned along with its damping."""
import sys

import tensorflow as tf


def swing(step, damping, grid):
    times = grid(step)
    return tf.exp(-damping * times) * tf.cos(3.0 * times)


def by_range(step):
    return tf.range(0.0, 1.0, step)  #!


def by_count(step):
    return step * tf.range(10.0)


def regulate(grid):
    step = tf.Variable(0.1, name="step")
    damping = tf.Variable(0.4, name="damping")
    with tf.GradientTape() as tape:
        angles = swing(step, damping, grid)
        wobble = tf.reduce_sum(tf.square(angles))
    grads = tape.gradient(wobble, {"step": step, "damping": damping})
    return grads


def broken():
    return regulate(by_range)


def fixed():
    return regulate(by_count)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
