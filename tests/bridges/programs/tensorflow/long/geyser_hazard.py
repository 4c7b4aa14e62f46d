"""Waiting times of a geyser: a Gompertz hazard fitted by maximum likelihood, in minutes or in hours."""
import sys

import tensorflow as tf


class Gompertz:
    def __init__(self):
        self.log_base = tf.Variable(-3.0, name="log_base")
        self.ageing = tf.Variable(1.2, name="ageing")

    def log_likelihood(self, waits):
        base = tf.exp(self.log_base)
        grown = tf.exp(self.ageing * waits)  #!
        survival = -base / self.ageing * (grown - 1.0)
        return self.log_base + self.ageing * waits + survival

    @property
    def weights(self):
        return {"log_base": self.log_base, "ageing": self.ageing}


def observed(unit):
    minutes = 60.0 + 15.0 * tf.sin(tf.range(20.0))
    return {"minutes": minutes, "hours": minutes / 60.0}[unit]


def slopes(unit):
    hazard = Gompertz()
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(hazard.log_likelihood(observed(unit)))
    return tape.gradient(loss, hazard.weights)


def broken():
    return slopes("minutes")


def fixed():
    return slopes("hours")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
