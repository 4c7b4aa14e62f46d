"""Sorts beans by colour: a gate decides how much of a second feature counts."""
import sys

import tensorflow as tf


class Gate(tf.Module):
    def __init__(self, start):
        super().__init__(name="gate")
        self.weight = tf.Variable([1.0, 2.0], name="weight")
        self.bias = tf.Variable(start, name="bias")

    def __call__(self, features):
        return tf.sigmoid(tf.linalg.matvec(features, self.weight) + self.bias)  #!


class Sorter(tf.Module):
    def __init__(self, gate_start):
        super().__init__(name="sorter")
        self.gate = Gate(gate_start)
        self.colour = tf.Variable([0.6, -0.2], name="colour")
        self.size = tf.Variable([0.1, 0.5], name="size")

    def __call__(self, colours, sizes):
        share = self.gate(colours)
        by_colour = tf.linalg.matvec(colours, self.colour)
        by_size = tf.linalg.matvec(sizes, self.size)
        return share * by_colour + (1.0 - share) * by_size


class Belt:
    def __init__(self):
        self.colours = tf.constant([[0.2, 0.9], [0.7, 0.1], [0.4, 0.5]])
        self.sizes = tf.constant([[0.3, 0.3], [0.8, 0.6], [0.5, 0.2]])
        self.good = tf.constant([1.0, -1.0, 0.5])

    def gradients(self, sorter):
        with tf.GradientTape() as tape:
            scores = sorter(self.colours, self.sizes)
            loss = tf.reduce_mean(tf.square(scores - self.good))
        sources = {"weight": sorter.gate.weight, "bias": sorter.gate.bias, "colour": sorter.colour}
        return tape.gradient(loss, sources)


def broken():
    return Belt().gradients(Sorter(gate_start=60.0))


def fixed():
    return Belt().gradients(Sorter(gate_start=0.6))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
