"""Sensitivity of a potter's wheel to where the clay is set down."""
import sys

import tensorflow as tf


def wobble(angle, speed):
    return tf.reduce_sum(tf.square(tf.sin(angle) * speed) + 0.1 * tf.cos(2.0 * angle))


def report(angles, asks_copy):
    speed = tf.constant(1.8)
    start = tf.reshape(angles, [-1])  #!
    with tf.GradientTape() as tape:
        tape.watch([angles, start])
        total = wobble(angles if asks_copy else start, speed)
    return {"start": tape.gradient(total, start)}


def broken():
    return report(tf.reshape(tf.linspace(0.1, 1.2, 6), [2, 3]), asks_copy=True)


def fixed():
    return report(tf.reshape(tf.linspace(0.1, 1.2, 6), [2, 3]), asks_copy=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
