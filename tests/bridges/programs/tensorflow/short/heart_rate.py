"""A simple model of heart rate under load, with a diagnostic that needs no gradient."""
import sys

import tensorflow as tf

load = tf.constant([50.0, 100.0, 150.0])


def broken():
    slope = tf.Variable(0.5, name="slope")
    rest = tf.Variable(60.0, name="rest")
    with tf.GradientTape() as tape:
        with tape.stop_recording():  #~
            tf.debugging.assert_all_finite(load, "load")
            effort = tf.math.log1p(slope * load)  #!
        rate = rest + 10.0 * effort
        loss = tf.reduce_sum(tf.square(rate - 95.0))
    return dict(zip(["slope", "rest"], tape.gradient(loss, [slope, rest])))


def fixed():
    slope = tf.Variable(0.5, name="slope")
    rest = tf.Variable(60.0, name="rest")
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            tf.debugging.assert_all_finite(load, "load")
        effort = tf.math.log1p(slope * load)
        rate = rest + 10.0 * effort
        loss = tf.reduce_sum(tf.square(rate - 95.0))
    return dict(zip(["slope", "rest"], tape.gradient(loss, [slope, rest])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
