"""Stiffness of a crane's boom at a load: each force is differentiated by all displacements, one after another."""
import sys

import tensorflow as tf


def forces(places):
    stretch = places[1:] - places[:-1]
    pull = tf.concat([[0.0], tf.tanh(3.0 * stretch), [0.0]], axis=0)
    return pull[1:] - pull[:-1] + 0.1 * places ** 3


def stiffness_by_rows(places):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(places)
        parts = tf.unstack(forces(places))
    return tf.stack([tape.gradient(part, places) for part in parts])  #!


def stiffness_at_once(places):
    with tf.GradientTape() as tape:
        tape.watch(places)
        pull = forces(places)
    return tape.jacobian(pull, places)


def boom(stiffness):
    places = 0.1 * tf.sin(tf.range(12.0))
    return {"places": stiffness(places)}


def broken():
    return boom(stiffness_by_rows)


def fixed():
    return boom(stiffness_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
