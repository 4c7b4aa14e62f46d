"""Curves of staves: each stave's gradient is asked one at a time from a persistent tape."""
import sys

import tensorflow as tf


class Barrel(tf.Module):
    def __init__(self, staves):
        super().__init__(name="barrel")
        self.bend = tf.Variable(0.1 * tf.range(1.0, staves + 1.0), name="bend")
        self.hoop = tf.Variable(0.5, name="hoop")

    def bulge(self, heights):
        return tf.reduce_sum(tf.sin(self.bend[:, None] * heights[None]), 1) + self.hoop


def influence_by_stave(barrel, heights):
    with tf.GradientTape(persistent=True) as tape:
        bulges = tf.unstack(barrel.bulge(heights))
    rows = [tape.gradient(bulge, barrel.bend) for bulge in bulges]  #!
    del tape
    return tf.stack(rows)


def influence_at_once(barrel, heights):
    with tf.GradientTape() as tape:
        bulges = barrel.bulge(heights)
    return tape.jacobian(bulges, barrel.bend)


def shape(influence, staves=24, rounds=2):
    barrel = Barrel(staves)
    for number in range(rounds):
        heights = tf.linspace(-1.0, 1.0, 5) + 0.1 * number
        table = influence(barrel, heights)
        barrel.bend.assign_sub(0.01 * tf.linalg.diag_part(table))
    return {"bend": tf.reduce_sum(table, 0)}


def broken():
    return shape(influence_by_stave)


def fixed():
    return shape(influence_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
