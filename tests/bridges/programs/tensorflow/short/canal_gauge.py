"""Gauges of a canal come as NumPy arrays, from an old logger and from a new one."""
import sys

import numpy as np
import tensorflow as tf

slope = tf.Variable(0.4, name="slope")
base = tf.Variable(1.0, name="base")


@tf.function(autograph=False)
def gauge_step(levels):
    levels = tf.cast(levels, tf.float32)
    with tf.GradientTape() as tape:
        guess = base + slope * tf.linspace(0.0, 1.0, 12)
        loss = tf.reduce_mean(tf.square(guess - levels))
    return tape.gradient(loss, [slope, base])


def read(logger):
    levels = 1.0 + 0.5 * np.sin(np.arange(12.0))
    return levels.astype("float32") if logger == "old" else levels


def run(convert):
    for logger in ("old", "old", "new", "old"):
        grads = gauge_step(convert(read(logger)))  #!
    return {"slope": grads[0], "base": grads[1]}


def broken():
    return run(lambda levels: levels)


def fixed():
    return run(np.float32)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
