"""Flights of herons: a physics loss whose parameter passes through a NumPy ufunc in a helper."""
import sys

import numpy as np
import tensorflow as tf


def air_density(height):
    return np.exp(-height / 8.0)  #!


def air_density_tf(height):
    return tf.exp(-height / 8.0)


class Flight:
    def __init__(self, density):
        self.climb = tf.Variable(0.6, name="climb")
        self.lift = tf.Variable(1.3, name="lift")
        self.density = density

    def height(self, times):
        return self.climb * times - 0.02 * tf.square(times)

    def speed(self, times):
        return tf.sqrt(2.0 * self.lift / self.density(self.height(times)))  #~


def fit(flight, rounds=3):
    times = tf.linspace(0.5, 5.0, 10)
    measured = tf.linspace(1.5, 1.9, 10)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(flight.speed(times) - measured))
        climb, lift = tape.gradient(loss, (flight.climb, flight.lift))
        flight.lift.assign_sub(0.1 * lift)
    return {"climb": climb, "lift": lift}


def broken():
    return fit(Flight(air_density))


def fixed():
    return fit(Flight(air_density_tf))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
