"""A signpost turns to where most walkers want to go; votes are counted as plus or minus one."""
import sys

import tensorflow as tf


def votes(leaning):
    return tf.sign(leaning)  #!


def soft_votes(leaning):
    return tf.tanh(3.0 * leaning)


@tf.function
def slope(heading, stubborn, walkers, count):
    with tf.GradientTape() as tape:
        leaning = tf.sin(walkers - heading)
        loss = tf.square(tf.reduce_mean(count(leaning))) + 0.1 * tf.square(stubborn)
    return tape.gradient(loss, [heading, stubborn])


def turn(count):
    heading = tf.Variable(0.4, name="heading")
    stubborn = tf.Variable(0.7, name="stubborn")
    walkers = tf.linspace(0.0, 2.0, 9)
    d_heading, d_stubborn = slope(heading, stubborn, walkers, count)
    return {"heading": d_heading, "stubborn": d_stubborn}


def broken():
    return turn(votes)


def fixed():
    return turn(soft_votes)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
