"""A compass that is corrected by a gate: the gate is a sigmoid of the raw field in nanotesla."""
import sys

import tensorflow as tf


class Compass(tf.Module):
    def __init__(self, unit):
        super().__init__(name="compass")
        self.unit = unit
        self.gate = tf.Variable([0.4, 0.3, 0.5], name="gate")
        self.turn = tf.Variable([0.1, -0.2, 0.3], name="turn")

    def __call__(self, field):
        scaled = field / self.unit
        opened = tf.sigmoid(tf.linalg.matvec(scaled, self.gate))  #!
        return opened * tf.linalg.matvec(tf.math.l2_normalize(field, axis=1), self.turn)


def sail(unit, days=3):
    compass = Compass(unit)
    sources = {"gate": compass.gate, "turn": compass.turn}
    for day in range(days):
        field = 20000.0 + 5000.0 * tf.sin(tf.reshape(tf.range(15.0), [5, 3]) + day)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(compass(field) - 0.3))
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(0.1 * grad)
    return grads


def broken():
    return sail(1.0)


def fixed():
    return sail(20000.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
