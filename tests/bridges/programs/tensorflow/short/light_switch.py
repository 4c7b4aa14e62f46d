"""A sensor's probability of day or night from brightness in lux."""
import sys

import tensorflow as tf

lux = tf.constant([300.0, 500.0, 900.0])
is_day = tf.constant([0.0, 0.0, 1.0])


def gradients(scale):
    weight = tf.Variable(2.0, name="weight")
    with tf.GradientTape() as tape:
        probability = tf.sigmoid(weight * lux / scale)  #!
        loss = tf.reduce_mean(tf.square(probability - is_day))
    return {"weight": tape.gradient(loss, weight)}


def broken():
    return gradients(1.0)


def fixed():
    return gradients(1000.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
