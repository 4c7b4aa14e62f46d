"""Pitch of a string: tension is tuned, the density is known."""
import sys

import tensorflow as tf


def broken():
    tension = tf.Variable(60.0, name="tension")
    density = tf.Variable(0.0006, name="density")
    with tf.GradientTape() as tape:
        wave_speed = tf.sqrt(tension / density)  #~
        tape.reset()  #!
        pitch = wave_speed / (2.0 * 0.33)
        error = tf.abs(pitch - 440.0) + 1e3 * density
    return {"tension": tape.gradient(error, tension)}


def fixed():
    tension = tf.Variable(60.0, name="tension")
    density = tf.Variable(0.0006, name="density")
    with tf.GradientTape() as tape:
        wave_speed = tf.sqrt(tension / density)
        pitch = wave_speed / (2.0 * 0.33)
        error = tf.abs(pitch - 440.0) + 1e3 * density
    return {"tension": tape.gradient(error, tension)}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
