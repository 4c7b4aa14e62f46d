"""Melt rate of a glacier from temperature and radiation."""
import sys

import tensorflow as tf

degrees = tf.constant([2.0, 5.0, 7.5])
radiation = tf.cast(tf.constant([150, 210, 260]), tf.float32)


def melt(params):
    return params["degree_day"] * degrees


def full_melt(params):
    return params["degree_day"] * degrees + params["radiative"] * radiation


def gradients(model):
    params = {
        "degree_day": tf.Variable(4.0, name="degree_day"),
        "radiative": tf.Variable(0.01, name="radiative"),  #!
    }
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(params) - 30.0))  #~
    return tape.gradient(loss, params)


def broken():
    return gradients(melt)


def fixed():
    return gradients(full_melt)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
