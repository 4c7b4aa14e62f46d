"""Costs of two delivery routes; unconnected gradients are asked for as zeros."""
import sys

import tensorflow as tf

distance = tf.constant([3.0, 8.0])


def cost(truck, bike):
    truck_cost = truck * tf.reduce_sum(distance)
    bike_cost = tf.stop_gradient(bike * tf.reduce_sum(tf.sqrt(distance)))  #!
    return truck_cost + bike_cost


def whole_cost(truck, bike):
    return truck * tf.reduce_sum(distance) + bike * tf.reduce_sum(tf.sqrt(distance))


def gradients(model):
    truck = tf.Variable(0.5, name="truck")
    bike = tf.Variable(0.2, name="bike")
    with tf.GradientTape() as tape:
        total = model(truck, bike)
    sources = {"truck": truck, "bike": bike}
    return tape.gradient(total, sources, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def broken():
    return gradients(cost)


def fixed():
    return gradients(whole_cost)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
