"""Reads the sway of a metronome at whole ticks of a time that is itself to be found."""
import sys

import tensorflow as tf

def nearest(moment):
    row = tf.cast(moment, tf.int32)  #!
    return tf.sin(0.1 * tf.cast(row, tf.float32))


def steady(moment):
    return tf.sin(0.1 * moment)


def tune(reading):
    offset = tf.Variable(3.3, name="offset")
    weight = tf.Variable(1.5, name="weight")
    ticks = tf.range(0.0, 40.0, 8.0)
    with tf.GradientTape() as tape:
        seen = weight * reading(ticks + offset)
        loss = tf.reduce_sum(tf.square(seen - 0.5))
    d_offset, d_weight = tape.gradient(loss, [offset, weight])
    return {"offset": d_offset, "weight": d_weight}


def broken():
    return tune(nearest)


def fixed():
    return tune(steady)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
