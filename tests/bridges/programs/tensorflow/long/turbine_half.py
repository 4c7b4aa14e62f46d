"""Loads on the blades of a turbine, computed in half precision to save memory; the weights stay in single precision."""
import sys

import tensorflow as tf


class Blade(tf.Module):
    def __init__(self, compute):
        super().__init__(name="blade")
        self.compute = compute
        self.chord = tf.Variable([1.5, 1.1, 0.6], name="chord")
        self.drag = tf.Variable(0.02, name="drag")

    def cast(self, *values):
        return [tf.cast(value, self.compute) for value in values]

    def pressure(self, winds):
        winds, chord = self.cast(winds, self.chord)
        return 0.6 * tf.square(winds) * chord

    def load(self, winds):
        pressed = self.pressure(winds)
        drag = self.cast(self.drag)[0]
        return tf.cast(tf.reduce_sum(tf.square(pressed), axis=1) * drag, tf.float32)  #!


def gust(hour):
    return (6.0 + 4.0 * hour**2) * (1.0 + 0.1 * tf.sin(tf.reshape(tf.range(12.0), [4, 3])))


def design(compute, hours=3):
    blade = Blade(compute)
    sources = {"chord": blade.chord, "drag": blade.drag}
    for hour in range(hours):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(blade.load(gust(hour)) - 30.0)) * 1e-4
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(1e-3 * tf.clip_by_norm(grads[name], 1.0))
    return grads


def broken():
    return design(tf.float16)


def fixed():
    return design(tf.float32)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
