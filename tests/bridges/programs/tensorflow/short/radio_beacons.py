"""Finds beacons by a sum of bells of the distance; one beacon starts far from every receiver."""
import sys

import tensorflow as tf


class Beacon(tf.Module):
    def __init__(self, place, name):
        super().__init__(name=name)
        self.place = tf.Variable(place, name=name)

    def strength(self, receivers, reach=0.8):
        apart = tf.reduce_sum(tf.square(receivers - self.place), axis=-1)
        return tf.exp(-apart / (2.0 * reach ** 2))  #!


@tf.function
def fit(beacons, receivers, heard):
    with tf.GradientTape() as tape:
        field = tf.add_n([beacon.strength(receivers) for beacon in beacons])
        loss = tf.reduce_sum(tf.square(field - heard))
    return tape.gradient(loss, [beacon.place for beacon in beacons])


def locate(start):
    receivers = tf.stack([tf.linspace(-1.0, 1.0, 8), tf.zeros([8])], axis=1)
    beacons = [Beacon([0.5, 0.2], "near_beacon"), Beacon(start, "far_beacon")]
    near, far = fit(beacons, receivers, tf.linspace(0.0, 1.5, 8))
    return {"near_beacon": near, "far_beacon": far}


def broken():
    return locate([40.0, 30.0])


def fixed():
    return locate([1.5, 1.0])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
