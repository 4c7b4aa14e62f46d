"""Loudness of two voices; the loss is meant to hear both."""
import sys

import tensorflow as tf

notes = tf.constant([0.2, 0.5, 0.9])


def broken():
    soprano = tf.Variable(0.7, name="soprano")
    alto = tf.Variable(0.4, name="alto")
    with tf.GradientTape() as tape:
        high = tf.sin(soprano * notes)
        low = tf.sin(alto * notes)  #~
        blend = tf.stack([high, high])  #!
        loss = tf.reduce_mean(tf.square(blend))  #~
        loudness = tf.reduce_max(tf.abs(low))
    tf.debugging.assert_less(loudness, 1.0)
    return dict(zip(["soprano", "alto"], tape.gradient(loss, [soprano, alto])))


def fixed():
    soprano = tf.Variable(0.7, name="soprano")
    alto = tf.Variable(0.4, name="alto")
    with tf.GradientTape() as tape:
        high = tf.sin(soprano * notes)
        low = tf.sin(alto * notes)
        blend = tf.stack([high, low])
        loss = tf.reduce_mean(tf.square(blend))
    return dict(zip(["soprano", "alto"], tape.gradient(loss, [soprano, alto])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
