"""Simulates a dose over many small steps inside a function."""
import sys

import tensorflow as tf

decay = tf.Variable(0.05, name="decay")


@tf.function
def unrolled():
    level = tf.constant(1.0)
    for _ in range(300):
        level = level * (1.0 - decay) + 0.01  #!
    return level


@tf.function
def looped():
    level = tf.constant(1.0)
    for _ in tf.range(300):
        level = level * (1.0 - decay) + 0.01
    return level


def gradients(simulate):
    with tf.GradientTape() as tape:
        loss = tf.square(simulate() - 0.2)
    return {"decay": tape.gradient(loss, decay)}


def broken():
    return gradients(unrolled)


def fixed():
    return gradients(looped)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
