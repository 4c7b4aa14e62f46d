"""Energy of a signal, squared and transformed in two places."""
import sys

import tensorflow as tf

signal = tf.sin(tf.range(8192.0) / 50.0)


def loss_of(transform_once, gain):
    spectrum = tf.math.log1p(tf.abs(tf.exp(gain * signal)))  #~
    peak = tf.reduce_max(spectrum)
    again = spectrum if transform_once else tf.math.log1p(tf.abs(tf.exp(gain * signal)))  #!
    return tf.reduce_mean(again) / peak


def gradients(transform_once):
    gain = tf.Variable(0.3, name="gain")
    with tf.GradientTape() as tape:
        loss = loss_of(transform_once, gain)
    return {"gain": tape.gradient(loss, gain)}


def broken():
    return gradients(False)


def fixed():
    return gradients(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
