"""Heating power that a thermostat limits to what the boiler can give."""
import sys

import tensorflow as tf


def gradients(limit):
    gain = tf.Variable(4.0, name="gain")
    error = tf.constant([3.0, 5.0, 4.0])
    with tf.GradientTape() as tape:
        power = tf.clip_by_value(gain * error, 0.0, limit)  #!
        loss = tf.reduce_sum(tf.square(power - 8.0))
    return {"gain": tape.gradient(loss, gain)}


def broken():
    return gradients(10.0)


def fixed():
    return gradients(18.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
