"""A census of beavers: readings of a lodge are a map, to which the camera adds its part on some nights."""
import sys

import tensorflow as tf


class Lodge(tf.Module):
    def __init__(self):
        super().__init__(name="lodge")
        self.tracks = tf.Variable(0.7, name="tracks")
        self.sounds = tf.Variable(0.4, name="sounds")
        self.photos = tf.Variable(0.2, name="photos")

    def weights(self):
        return {"tracks": self.tracks, "sounds": self.sounds, "photos": self.photos}

    def beavers(self, readings):
        weights = self.weights()
        return tf.add_n([tf.reduce_mean(weights[kind] * values) for kind, values in readings.items()])


def nights(count=4):
    for night in range(count):
        readings = {"tracks": tf.range(3.0) + night, "sounds": tf.ones([3]) * night}
        if night >= 2:
            readings["photos"] = tf.ones([3])
        yield readings


def with_every_kind(readings):
    for values in readings:
        yield {kind: values.get(kind, tf.zeros([3])) for kind in ("tracks", "sounds", "photos")}


def census(readings_of_nights):
    lodge = Lodge()

    @tf.function
    def estimate(readings):
        with tf.GradientTape() as tape:
            miss = tf.square(lodge.beavers(readings) - 3.0)
        return tape.gradient(miss, [lodge.tracks, lodge.sounds])

    for readings in readings_of_nights:
        tracks, sounds = estimate(readings)  #!
    return {"tracks": tracks, "sounds": sounds}


def broken():
    return census(nights())


def fixed():
    return census(with_every_kind(nights()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
