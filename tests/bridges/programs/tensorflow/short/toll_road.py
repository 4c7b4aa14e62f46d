"""A toll that differs by the time of day; both rates are to be learned."""
import sys

import tensorflow as tf

traffic = tf.constant([120.0, 90.0, 40.0])


def broken():
    peak = tf.Variable(3.0, name="peak")
    offpeak = tf.Variable(1.5, name="offpeak")
    hour = tf.constant(8)
    with tf.GradientTape() as tape:
        if hour < 10:  #!
            revenue = traffic * peak * tf.exp(-0.2 * peak)
        else:
            revenue = traffic * offpeak * tf.exp(-0.1 * offpeak)  #~
        loss = -tf.reduce_mean(revenue)
    return dict(zip(["peak", "offpeak"], tape.gradient(loss, [peak, offpeak])))


def fixed():
    peak = tf.Variable(3.0, name="peak")
    offpeak = tf.Variable(1.5, name="offpeak")
    hours = tf.constant([8, 13, 22])
    with tf.GradientTape() as tape:
        rush = traffic * peak * tf.exp(-0.2 * peak)
        calm = traffic * offpeak * tf.exp(-0.1 * offpeak)
        loss = -tf.reduce_mean(tf.where(hours < 10, rush, calm))
    return dict(zip(["peak", "offpeak"], tape.gradient(loss, [peak, offpeak])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
