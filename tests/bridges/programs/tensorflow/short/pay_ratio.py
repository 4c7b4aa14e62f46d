"""Average pay per hour, where some worked none."""
import sys

import tensorflow as tf

hours = tf.constant([40.0, 0.0, 20.0])
worked = tf.constant([True, False, True])


def gradients(ratio):
    bonus = tf.Variable(1.0, name="bonus")
    absence = tf.Variable(0.5, name="absence")
    with tf.GradientTape() as tape:
        pay = 20.0 * hours + bonus
        per_hour = tf.where(worked, ratio(pay, hours * absence), 0.0)
        loss = tf.reduce_sum(tf.square(per_hour - 21.0))
    return tape.gradient(loss, {"bonus": bonus, "absence": absence})


def divide(a, b):
    return a / b  #!


def broken():
    return gradients(divide)


def fixed():
    return gradients(tf.math.divide_no_nan)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
