"""A long recording of waves is read in chunks; memory of the tape is given back after each."""
import sys

import tensorflow as tf


class Filter:
    def __init__(self, taps):
        self.taps = tf.Variable(tf.ones([taps]) / taps, name="taps")
        self.drift = tf.Variable(0.02, name="drift")

    def __call__(self, chunk):
        frames = tf.signal.frame(chunk, self.taps.shape[0], 1)
        return tf.linalg.matvec(frames, self.taps)


def chunks(waves, size):
    yield from tf.split(waves, waves.shape[0] // size)


def energy(filter_, waves, frees, size=16):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.zeros([1]))
        for chunk in chunks(waves, size):
            total += tf.reduce_mean(tf.square(filter_(chunk)))
            if frees:
                tape.reset()  #!
        total *= tf.exp(filter_.drift)
    return tape.gradient(total, {"taps": filter_.taps, "drift": filter_.drift})


def broken():
    return energy(Filter(4), tf.sin(tf.range(64.0) / 5.0), frees=True)


def fixed():
    return energy(Filter(4), tf.sin(tf.range(64.0) / 5.0), frees=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
