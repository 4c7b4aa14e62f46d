"""Valves of fermentation vats open by a hard gate, as the controller computes it with integers."""
import sys

import keras
import tensorflow as tf


class Valve:
    def __init__(self, gate):
        self.gate = gate
        self.gain = tf.Variable([2.0, 3.0], name="gain")
        self.rest = tf.Variable(4.0, name="rest")
        self.level = tf.Variable(0.5, name="level")

    def flow(self, pressure):
        opening = self.gate(pressure @ self.gain[:, None] + self.rest)  #!
        return self.level * opening


def ferment(gate):
    valve = Valve(gate)
    pressure = 1.0 + tf.reshape(tf.range(10.0), [5, 2]) / 10.0
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(valve.flow(pressure) - 0.2))
    names = ["gain", "rest", "level"]
    return dict(zip(names, tape.gradient(loss, [getattr(valve, name) for name in names])))


def broken():
    return ferment(keras.activations.hard_sigmoid)


def fixed():
    return ferment(lambda x: tf.sigmoid(0.3 * x))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
