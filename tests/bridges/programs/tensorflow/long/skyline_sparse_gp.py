"""A sparse Gaussian process of the light over a city: a few places stand for all lamps."""
import sys

import tensorflow as tf


class SparseSky(tf.Module):
    def __init__(self, count=6):
        super().__init__(name="sky")
        self.places = tf.Variable(tf.linspace([0.0], [5.0], count), name="places")
        self.reach = tf.Variable(0.2, name="reach")
        self.mean = tf.Variable(tf.sin(tf.linspace([0.0], [5.0], count)), name="mean")

    def kernel(self, left, right):
        apart = tf.square(left - tf.transpose(right))
        return tf.exp(-0.5 * apart * tf.exp(-self.reach))  #~

    def gram(self):
        count = self.places.shape[0]
        return self.kernel(self.places, self.places) + 1e-2 * tf.eye(count)  #!

    def predicted(self, lamps):
        across = self.kernel(lamps, self.places)
        return across @ tf.linalg.solve(self.gram(), self.mean)  #~

    def penalty(self):
        whitened = tf.linalg.solve(self.gram(), self.mean)  #~
        return 0.5 * tf.reduce_sum(self.mean * whitened)

    def loss(self, lamps, light):
        fit = tf.reduce_mean(tf.square(self.predicted(lamps) - light))  #~
        return fit + 0.01 * self.penalty()  #~


class SolvedSky(SparseSky):
    def loss(self, lamps, light):
        whitened = tf.linalg.solve(self.gram(), self.mean)
        fit = tf.reduce_mean(tf.square(self.kernel(lamps, self.places) @ whitened - light))
        return fit + 0.01 * 0.5 * tf.reduce_sum(self.mean * whitened)


def nights(sky, count=4):
    lamps = tf.linspace([0.2], [4.8], 20)
    light = tf.sin(lamps) + 0.1 * tf.cos(7.0 * lamps)
    parts = [sky.places, sky.reach, sky.mean]
    for _ in range(count):
        with tf.GradientTape() as tape:
            loss = sky.loss(lamps, light)
        slopes = tape.gradient(loss, parts)
        for part, slope in zip(parts, slopes):
            part.assign_sub(0.001 * slope)
    return dict(zip(["places", "reach", "mean"], slopes))


def broken():
    return nights(SparseSky())


def fixed():
    return nights(SolvedSky())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
