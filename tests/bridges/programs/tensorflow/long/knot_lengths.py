"""Lengths of rope segments with a gradient written by hand, for speed; two knots may lie on each other."""
import sys

import tensorflow as tf


@tf.custom_gradient
def segment_lengths(knots):
    steps = knots[1:] - knots[:-1]
    lengths = tf.sqrt(tf.reduce_sum(tf.square(steps), axis=1))

    def backward(upstream):
        unit = steps / lengths[:, tf.newaxis]  #!
        pull = upstream[:, tf.newaxis] * unit
        none = tf.zeros([1, knots.shape[1]])
        return tf.concat([none, pull], axis=0) - tf.concat([pull, none], axis=0)

    return lengths, backward


@tf.custom_gradient
def safe_lengths(knots):
    steps = knots[1:] - knots[:-1]
    lengths = tf.sqrt(tf.reduce_sum(tf.square(steps), axis=1))

    def backward(upstream):
        pull = upstream[:, tf.newaxis] * tf.math.divide_no_nan(steps, lengths[:, tf.newaxis])
        none = tf.zeros([1, knots.shape[1]])
        return tf.concat([none, pull], axis=0) - tf.concat([pull, none], axis=0)

    return lengths, backward


class Rope:
    def __init__(self, lengths):
        self.hang = tf.Variable(tf.reshape(tf.linspace(0.0, 1.0, 10), [5, 2]), name="hang")
        self.sag = tf.Variable(0.5, name="sag")
        self.lengths = lengths

    def energy(self, fold):
        knots = tf.concat([self.hang[:fold], self.hang[fold - 1 : fold], self.hang[fold:]], axis=0) if fold else self.hang
        weight = tf.reduce_sum(knots[:, 1]) * self.sag
        return weight + 10.0 * tf.reduce_sum(tf.square(self.lengths(knots) - 0.4))  #~


def relax(rope):
    for fold in (0, 0, 2):
        with tf.GradientTape() as tape:
            energy = rope.energy(fold)
        hang, sag = tape.gradient(energy, [rope.hang, rope.sag])
        rope.hang.assign_sub(0.01 * hang)
    return {"hang": hang}


def broken():
    return relax(Rope(segment_lengths))


def fixed():
    return relax(Rope(safe_lengths))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
