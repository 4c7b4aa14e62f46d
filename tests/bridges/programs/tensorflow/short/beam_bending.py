"""Curvature of a beam from its deflection: the second derivative is wanted."""
import sys

import tensorflow as tf


def deflection(x, load):
    return load * x ** 2 * (3.0 - x) / 6.0


def broken():
    x = tf.Variable(0.4, name="x")
    load = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(load)
        with tf.GradientTape() as inner:
            y = deflection(x, load)
    slope = inner.gradient(y, x)  #!
    d_x, d_load = outer.gradient(slope, [x, load])
    return {"x": d_x, "load": d_load}


def fixed():
    x = tf.Variable(0.4, name="x")
    load = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(load)
        with tf.GradientTape() as inner:
            y = deflection(x, load)
        slope = inner.gradient(y, x)
    d_x, d_load = outer.gradient(slope, [x, load])
    return {"x": d_x, "load": d_load}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
