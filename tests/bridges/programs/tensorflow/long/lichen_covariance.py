"""Lichen on rocks: forty sites, one Gaussian with a covariance that falls off with distance; its density by hand."""
import math
import sys

import tensorflow as tf


class Sites:
    def __init__(self, count=40):
        step = tf.range(float(count))
        self.places = tf.stack([step, 3.0 * tf.sin(step)], axis=1)
        self.cover = 0.05 * tf.cos(0.6 * step)

    def distances(self):
        gap = self.places[:, None] - self.places[None, :]
        return tf.reduce_sum(tf.square(gap), axis=-1)


class Field:
    def __init__(self, sites):
        self.sites = sites
        self.log_scale = tf.Variable(-3.0, name="log_scale")
        self.log_reach = tf.Variable(0.0, name="log_reach")

    def covariance(self):
        near = tf.exp(-self.sites.distances() / tf.exp(self.log_reach))
        return tf.exp(2.0 * self.log_scale) * (near + 0.1 * tf.eye(near.shape[0]))

    def volume(self, covariance):
        return tf.math.log(tf.linalg.det(covariance))  #!

    def surprise(self):
        covariance = self.covariance()
        cover = self.sites.cover[:, None]
        fit = tf.matmul(cover, tf.linalg.solve(covariance, cover), transpose_a=True)[0, 0]
        return 0.5 * (fit + self.volume(covariance) + len(self.sites.cover) * math.log(2.0 * math.pi))


class SteadyField(Field):
    def volume(self, covariance):
        return tf.linalg.slogdet(covariance)[1]


def explore(kind):
    field = kind(Sites())
    with tf.GradientTape() as tape:
        surprise = field.surprise()
    return tape.gradient(surprise, {"log_scale": field.log_scale, "log_reach": field.log_reach})


def broken():
    return explore(Field)


def fixed():
    return explore(SteadyField)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
