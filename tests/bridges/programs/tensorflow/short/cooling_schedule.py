"""Anneals a position with a temperature that falls in each round."""
import sys

import tensorflow as tf

position = tf.Variable(3.0, name="position")


@tf.function
def anneal(temperature):
    with tf.GradientTape() as tape:
        energy = tf.square(position - 1.0) / temperature
    gradient = tape.gradient(energy, position)
    position.assign_sub(0.01 * gradient)
    return gradient


def run(schedule):
    position.assign(3.0)
    for temperature in schedule:
        gradient = anneal(temperature)  #!
    return {"position": gradient}


def broken():
    return run([4.0, 2.0, 1.0, 0.5])


def fixed():
    return run([tf.constant(t) for t in (4.0, 2.0, 1.0, 0.5)])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
