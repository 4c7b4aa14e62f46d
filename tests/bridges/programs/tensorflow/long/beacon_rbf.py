"""Strength of a radio beacon over a map in metres, by Gaussian bumps whose centres are learned."""
import sys

import tensorflow as tf


class Bumps(tf.Module):
    def __init__(self, width):
        super().__init__(name="bumps")
        self.width = width
        self.centres = tf.Variable([[900.0, 250.0], [150.0, 700.0], [480.0, 90.0]], name="centres")
        self.heights = tf.Variable([0.5, 0.8, 0.3], name="heights")
        self.floor = tf.Variable(0.1, name="floor")

    def closeness(self, places):
        apart = tf.reduce_sum(tf.square(places[:, tf.newaxis] - self.centres[tf.newaxis]), axis=2)
        return tf.exp(-apart / (2.0 * self.width**2))  #!

    def __call__(self, places):
        return self.floor + tf.linalg.matvec(self.closeness(places), self.heights)


def stations():
    east = tf.linspace(0.0, 1000.0, 4)
    return tf.reshape(tf.stack(tf.meshgrid(east, east), axis=2), [-1, 2])


def fit(width, rounds=3):
    bumps = Bumps(width)
    places = stations()
    heard = tf.sin(places[:, 0] / 300.0) * tf.cos(places[:, 1] / 400.0)
    optimizer = tf.keras.optimizers.Adam(0.01)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(bumps(places) - heard))
        sources = [bumps.centres, bumps.heights, bumps.floor]
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients(zip(grads, sources))
    return dict(zip(["centres", "heights", "floor"], grads))


def broken():
    return fit(2.0)


def fixed():
    return fit(200.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
