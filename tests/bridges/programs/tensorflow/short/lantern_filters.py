"""Coloured glass in a lantern: one transmission curve for each pane, collected as functions."""
import sys

import tensorflow as tf


def curve(pane):
    return lambda light: light * tf.exp(-pane)


def panes_of(depths, bound):
    curves = []
    for depth in depths:
        curves.append(curve(depth) if bound else lambda light: light * tf.exp(-depth))
    return curves


def shade(bound):
    red = tf.Variable(0.3, name="red")  #!
    amber = tf.Variable(0.2, name="amber")
    light = tf.constant([1.0, 0.8, 0.6])
    with tf.GradientTape() as tape:
        for transmit in panes_of([red, amber], bound):  #~
            light = transmit(light)
        glow = tf.reduce_sum(light)
    grads = tape.gradient(glow, [red, amber])
    return {"red": grads[0], "amber": grads[1]}


def broken():
    return shade(False)


def fixed():
    return shade(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
