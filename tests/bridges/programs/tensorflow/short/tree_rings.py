"""Fits ring widths with a tape that keeps everything although it is asked once."""
import sys

import tensorflow as tf

years = tf.linspace(0.0, 6.0, 20000)
widths = tf.abs(tf.sin(years)) + 0.2


def gradients(persistent):
    speed = tf.Variable(0.9, name="speed")
    base = tf.Variable(0.1, name="base")
    with tf.GradientTape(persistent=persistent) as tape:  #!
        model = tf.abs(tf.sin(speed * years)) + base
        loss = tf.reduce_mean(tf.square(model - widths))
    return tape.gradient(loss, {"speed": speed, "base": base})


def broken():
    return gradients(True)


def fixed():
    return gradients(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
