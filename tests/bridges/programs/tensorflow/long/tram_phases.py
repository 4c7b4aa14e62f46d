"""Fits the phase and the period of a tram's timetable to counts of waiting people."""
import sys

import tensorflow as tf

MINUTES = tf.linspace(0.0, 55.0, 12)
WAITING = tf.constant([1.0, 3.0, 6.0, 2.0, 4.0, 7.0, 1.0, 3.0, 6.0, 2.0, 4.0, 7.0])


def since_last(period, shift):
    """Minutes since the last tram left."""
    started = (MINUTES + shift) // period  #!
    return started


def waiting(parameters, count):
    return parameters["rate"] * count(parameters["period"], parameters["shift"]) + 0.5


def smooth_since(period, shift):
    return 0.5 - 0.5 * tf.cos(6.2832 * (MINUTES + shift) / period)


def fit(count, rate=1e-3):
    parameters = {
        "rate": tf.Variable(0.4, name="rate"),
        "period": tf.Variable(14.0, name="period"),
        "shift": tf.Variable(2.0, name="shift"),
    }
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(waiting(parameters, count) - WAITING))
        grads = tape.gradient(loss, parameters)
        for name, grad in grads.items():
            if grad is not None:
                parameters[name].assign_sub(rate * grad)
    return grads


def broken():
    return fit(since_last)


def fixed():
    return fit(smooth_since)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
