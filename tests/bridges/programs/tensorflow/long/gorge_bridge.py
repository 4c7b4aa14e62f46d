"""Cables of a bridge over a gorge are pulled by a small network, within what the winches can do."""
import sys

import tensorflow as tf


class Winches(tf.Module):
    def __init__(self, start):
        super().__init__(name="winches")
        self.feel = tf.Variable(tf.reshape(0.5 * tf.sin(0.9 * tf.range(12.0)), [3, 4]), name="feel")
        self.pull = tf.Variable(tf.reshape(start + 0.1 * tf.cos(tf.range(8.0)), [4, 2]), name="pull")
        self.stiff = tf.Variable([1.2, 0.9], name="stiff")

    def forces(self, sway):
        wanted = tf.nn.softplus(sway @ self.feel) @ self.pull
        return tf.clip_by_value(wanted, -1.0, 1.0)  #!

    def deflection(self, sway, load):
        return load - self.forces(sway) * self.stiff


def storms():
    for storm in range(4):
        yield tf.reshape(tf.sin(0.7 * tf.range(18.0) + storm), [6, 3]), tf.fill([6, 2], 1.4 + 0.1 * storm)


def hold(start):
    winches = Winches(start)
    sources = [winches.feel, winches.pull, winches.stiff]
    for sway, load in storms():
        with tf.GradientTape() as tape:
            bent = tf.reduce_mean(tf.square(winches.deflection(sway, load)))
            rough = 1e-3 * tf.nn.l2_loss(winches.stiff)
            loss = bent + rough
        slopes = tape.gradient(loss, sources)
        for source, slope in zip(sources, slopes):
            source.assign_sub(0.01 * slope)
    return dict(zip(["feel", "pull", "stiff"], slopes))


def broken():
    return hold(2.0)


def fixed():
    return hold(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
