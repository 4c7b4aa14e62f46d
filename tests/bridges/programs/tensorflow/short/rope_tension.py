"""Finds how a rope sags, by three steps downhill."""
import sys

import tensorflow as tf

PLACES = tf.linspace(-1.0, 1.0, 9)
SEEN = 0.4 * tf.square(PLACES) + 0.1


def sag(stiffness, height):
    return tf.cosh(stiffness * PLACES) - 1.0 + height


def step(stiffness, height):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(sag(stiffness, height) - SEEN))  #~
    return tape.gradient(loss, {"stiffness": stiffness, "height": height})


def broken():
    stiffness = tf.Variable(0.5, name="stiffness")
    height = tf.Variable(0.0, name="height")
    for _ in range(3):
        slopes = step(stiffness, height)
        if slopes["stiffness"] is not None:
            stiffness = stiffness - 0.2 * slopes["stiffness"]  #!
        height.assign_sub(0.2 * slopes["height"])
    return slopes


def fixed():
    stiffness = tf.Variable(0.5, name="stiffness")
    height = tf.Variable(0.0, name="height")
    for _ in range(3):
        slopes = step(stiffness, height)
        stiffness.assign_sub(0.2 * slopes["stiffness"])
        height.assign_sub(0.2 * slopes["height"])
    return slopes


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
