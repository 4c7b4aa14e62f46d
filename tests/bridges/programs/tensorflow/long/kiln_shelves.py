"""Loads the shelves of a kiln: the packing is one vector of parameters, taken apart where it is used."""
import sys

import tensorflow as tf


class Packing(tf.Module):
    def __init__(self):
        super().__init__(name="packing")
        self.gap = tf.Variable(0.4, name="gap")
        self.stack = tf.Variable(2.5, name="stack")

    @property
    def vector(self):
        return tf.stack([self.gap, self.stack])  #!

    @property
    def variables_of_it(self):
        return [self.gap, self.stack]


def warmth(parts, shelf):
    gap, stack = tf.unstack(parts)
    return tf.exp(-0.2 * shelf) * gap + 0.05 * stack


def pots(parts):
    return parts[1] * 4.0 / (1.0 + tf.square(parts[0]))


def gain(packing):
    parameters = packing.vector
    evenness = tf.math.reduce_variance(tf.stack([warmth(parameters, float(shelf)) for shelf in range(4)]))
    return evenness - 0.01 * pots(parameters)


def load(ask):
    packing = Packing()
    with tf.GradientTape() as tape:
        loss = gain(packing)
    return ask(tape, loss, packing)


def ask_vector(tape, loss, packing):
    vector = packing.vector  #~
    return {"vector": tape.gradient(loss, vector)}


def ask_variables(tape, loss, packing):
    return {"vector": tf.stack(tape.gradient(loss, packing.variables_of_it))}


def broken():
    return load(ask_vector)


def fixed():
    return load(ask_variables)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
