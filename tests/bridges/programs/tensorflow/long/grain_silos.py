"""Learns how warm grain gets in silos: each silo has a tape, and the gradients are averaged."""
import sys

import tensorflow as tf


class SiloModel:
    def __init__(self):
        self.mix = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(12.0)), [3, 4]), name="mix")
        self.heat = tf.Variable(tf.constant([0.4, -0.1, 0.3, 0.2]), name="heat")

    def warmth(self, grain):
        return tf.linalg.matvec(tf.sigmoid(grain @ self.mix), self.heat)

    def gradient(self, grain, warm):
        with tf.GradientTape() as tape:
            miss = tf.reduce_sum(tf.square(self.warmth(grain) - warm))
        return tape.gradient(miss, [self.mix, self.heat])  #~


def by_silo(model, grains, warms):
    mix, heat = tf.zeros_like(model.mix), tf.zeros_like(model.heat)
    for silo in range(len(grains)):
        one = model.gradient(grains[silo:silo + 1], warms[silo:silo + 1])  #!
        mix, heat = mix + one[0], heat + one[1]
    return mix / len(grains), heat / len(grains)


def at_once(model, grains, warms):
    return [grad / len(grains) for grad in model.gradient(grains, warms)]


def harvest(gradients, weeks=4):
    model = SiloModel()
    grains = tf.reshape(tf.sin(tf.range(60.0) * 0.6), [20, 3])
    warms = 0.3 + 0.2 * grains[:, 1]
    for _ in range(weeks):
        mix, heat = gradients(model, grains, warms)
        model.mix.assign_sub(0.1 * mix)
        model.heat.assign_sub(0.1 * heat)
    return {"mix": mix, "heat": heat}


def broken():
    return harvest(by_silo)


def fixed():
    return harvest(at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
