"""Number of buses on a line, tuned by gradient descent."""
import sys

import tensorflow as tf


def waiting_time(buses, route_minutes):
    return tf.cast(route_minutes, tf.float32) / tf.cast(buses, tf.float32) / 2.0  #~


def broken():
    buses = tf.Variable(6, name="buses")  #!
    fare = tf.Variable(2.4, name="fare")
    with tf.GradientTape() as tape:
        cost = waiting_time(buses, 90) + 3.0 * tf.square(fare - 2.0)
    return dict(zip(["buses", "fare"], tape.gradient(cost, [buses, fare])))


def fixed():
    buses = tf.Variable(6.0, name="buses")
    fare = tf.Variable(2.4, name="fare")
    with tf.GradientTape() as tape:
        cost = waiting_time(buses, 90) + 3.0 * tf.square(fare - 2.0)
    return dict(zip(["buses", "fare"], tape.gradient(cost, [buses, fare])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
