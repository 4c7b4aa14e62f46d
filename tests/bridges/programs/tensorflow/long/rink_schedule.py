"""Smooths the ice of a rink; the resurfacing gets softer with each lap, by a schedule in plain Python."""
import sys

import tensorflow as tf


class Softness:
    def __init__(self, first=0.8, decay=0.5):
        self.first, self.decay = first, decay

    def __call__(self, lap):
        return self.first * self.decay ** lap


class Ice(tf.Module):
    def __init__(self, cells=10):
        super().__init__(name="ice")
        self.height = tf.Variable(tf.sin(tf.range(float(cells))), name="height")
        self.water = tf.Variable(0.2, name="water")

    @tf.function
    def resurface(self, target, softness):
        with tf.GradientTape() as tape:
            rough = self.height[1:] - self.height[:-1]
            loss = tf.reduce_mean(tf.square(self.height + self.water - target)) + softness * tf.reduce_mean(tf.square(rough))
        by_height, by_water = tape.gradient(loss, [self.height, self.water])
        self.height.assign_sub(0.1 * by_height)
        self.water.assign_sub(0.1 * by_water)
        return by_height, by_water


def laps(wrap, count=4):
    ice, softness = Ice(), Softness()
    target = tf.zeros([10])
    for lap in range(count):
        by_height, by_water = ice.resurface(target, wrap(softness(lap)))  #!
    return {"height": by_height, "water": by_water}


def broken():
    return laps(float)


def fixed():
    return laps(tf.constant)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
