"""Sensitivity of a harbour's tide height to the moon's distance."""
import sys

import tensorflow as tf


def height(distance, phase):
    pull = 9.0 / distance ** 3  #~
    return pull * tf.cos(phase) + 0.2


def broken():
    distance = tf.constant(1.4)  #!
    phase = tf.Variable(0.3, name="phase")
    with tf.GradientTape() as tape:
        level = height(distance, phase)
    d_distance, d_phase = tape.gradient(level, [distance, phase])
    return {"distance": d_distance, "phase": d_phase}


def fixed():
    distance = tf.constant(1.4)
    phase = tf.Variable(0.3, name="phase")
    with tf.GradientTape() as tape:
        tape.watch(distance)
        level = height(distance, phase)
    d_distance, d_phase = tape.gradient(level, [distance, phase])
    return {"distance": d_distance, "phase": d_phase}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
