"""Demand for bicycles by the hour: the clock's drift is learned with the rest."""
import math
import sys

import tensorflow as tf

table = {"drift": tf.Variable(0.5, name="drift"), "pace": tf.Variable([0.4, -0.3], name="pace")}
counts = tf.constant([3.0, 5.0, 9.0, 4.0])
noted = tf.constant([7.2, 8.4, 17.1, 21.9])


def angle(when, whole_hours):
    if whole_hours:
        when = tf.cast(tf.cast(when, tf.int32), tf.float32)  #!
    return when * (math.pi / 12.0)


def features(when, whole_hours):
    turned = angle(when, whole_hours)
    return tf.stack([tf.sin(turned), tf.cos(turned)], axis=1)


def gradients(whole_hours):
    with tf.GradientTape() as tape:
        when = noted + table["drift"]
        guess = tf.linalg.matvec(features(when, whole_hours), table["pace"])
        loss = tf.reduce_mean(tf.square(guess - tf.stop_gradient(tf.math.log1p(counts))))
    return tape.gradient(loss, table)


def broken():
    return gradients(whole_hours=True)


def fixed():
    return gradients(whole_hours=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
