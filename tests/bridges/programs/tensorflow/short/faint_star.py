"""Brightness of a faint star in half precision."""
import sys

import tensorflow as tf


def gradients(dtype):
    flux = tf.Variable(tf.constant(0.004, dtype), name="flux")
    with tf.GradientTape() as tape:
        signal = flux * tf.constant(2e-4, dtype)  #!
        loss = tf.square(signal)  #~
    return {"flux": tape.gradient(loss, flux)}


def broken():
    return gradients(tf.float16)


def fixed():
    return gradients(tf.float32)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
