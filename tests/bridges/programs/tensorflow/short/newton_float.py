"""The diameter of a rope for a load, by Newton's method in a tf.while_loop."""
import sys

import tensorflow as tf

strength = tf.Variable(2.0, name="strength")
loads = tf.constant([8.0, 0.0])


def holds(diameter):
    return strength * diameter**2 - loads


def newton(start, least):
    def step(count, diameter):
        slope = 2.0 * strength * diameter + least
        return count + 1, diameter - holds(diameter) / slope  #!

    start = tf.constant(start)
    return tf.while_loop(lambda count, _: count < 6, step, [tf.constant(0), start])[1]


def gradients(start, least):
    with tf.GradientTape() as tape:
        diameter = newton(start, least)
        loss = tf.reduce_sum(diameter * diameter)
    return {"strength": tape.gradient(loss, strength)}


def broken():
    return gradients([1.0, 0.0], 0.0)


def fixed():
    return gradients([1.0, 0.0], 1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
