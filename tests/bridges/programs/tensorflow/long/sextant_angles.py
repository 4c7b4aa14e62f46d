"""Position at sea from star altitudes; the residual is a compiled function, the tape is around it."""
import sys

import tensorflow as tf


class Sextant(tf.Module):
    def __init__(self, guard):
        super().__init__(name="sextant")
        self.guard = guard
        self.latitude = tf.Variable(0.7, name="latitude")
        self.longitude = tf.Variable(-0.2, name="longitude")

    @tf.function
    def distances(self, stars):
        north = stars[:, 0] - self.latitude
        east = (stars[:, 1] - self.longitude) * tf.cos(self.latitude)
        squared = tf.square(north) + tf.square(east)
        if self.guard:
            squared = tf.maximum(squared, 1e-12)
        return tf.sqrt(squared)  #!


def fix_position(guard, rounds=4):
    sextant = Sextant(guard)
    stars = tf.constant([[0.9, 0.1], [0.4, -0.6], [1.1, 0.3]])
    measured = tf.constant([0.45, 0.5, 0.6])
    for number in range(rounds):
        if number == rounds - 1:  # a star in the zenith
            stars = tf.tensor_scatter_nd_update(stars, [[1]], [tf.stack([sextant.latitude, sextant.longitude])])
        with tf.GradientTape() as tape:
            miss = tf.reduce_sum(tf.square(sextant.distances(tf.stop_gradient(stars)) - measured))
        north, east = tape.gradient(miss, [sextant.latitude, sextant.longitude])
        sextant.latitude.assign_sub(0.05 * north)
        sextant.longitude.assign_sub(0.05 * east)
    return {"latitude": north, "longitude": east}


def broken():
    return fix_position(False)


def fixed():
    return fix_position(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
