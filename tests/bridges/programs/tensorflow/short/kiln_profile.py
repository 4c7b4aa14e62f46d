"""A kiln's heat curve: the rate is read, then adjusted for the day's weather."""
import sys

import tensorflow as tf

hours = tf.range(1.0, 5.0)


def curve(rate):
    return 20.0 + rate * hours


def broken():
    rate = tf.Variable(90.0, name="rate")
    today = rate.read_value()  #!
    rate.assign_sub(5.0)  #~
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(curve(today) - 300.0)) / 1e4
    return {"rate": tape.gradient(loss, rate)}


def fixed():
    rate = tf.Variable(90.0, name="rate")
    rate.assign_sub(5.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(curve(rate) - 300.0)) / 1e4
    return {"rate": tape.gradient(loss, rate)}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
