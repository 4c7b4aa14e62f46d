"""A robot counts the steps that it can climb with a given leg length."""
import sys

import tensorflow as tf


def broken():
    leg = tf.Variable(0.83, name="leg")
    effort = tf.Variable(1.5, name="effort")
    riser = tf.constant(0.17)
    with tf.GradientTape() as tape:
        steps = tf.floor(leg / riser)  #!
        cost = tf.square(steps * riser - 1.1) + 0.1 * tf.square(effort)
    return dict(zip(["leg", "effort"], tape.gradient(cost, [leg, effort])))


def fixed():
    leg = tf.Variable(0.83, name="leg")
    effort = tf.Variable(1.5, name="effort")
    riser = tf.constant(0.17)
    with tf.GradientTape() as tape:
        steps = leg / riser
        cost = tf.square(steps * riser - 1.1) + 0.1 * tf.square(effort)
    return dict(zip(["leg", "effort"], tape.gradient(cost, [leg, effort])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
