"""A policy for the sluices of a mill race: the opening is a share between closed and open."""
import sys

import tensorflow as tf


def between(low, high):
    """A decorator: what the function returns stays between low and high."""

    def wrap(function):
        def limited(*args):
            return tf.clip_by_value(function(*args), low, high)  #!

        return limited

    return wrap


class Sluices(tf.Module):
    def __init__(self, start):
        super().__init__(name="sluices")
        self.gain = tf.Variable(start * tf.ones([2, 3]), name="gain")
        self.height = tf.Variable(0.4, name="height")

    def raw(self, water):
        return water @ self.gain

    @between(0.0, 1.0)
    def opening(self, water):
        return self.raw(water)  #~


class Race:
    def __init__(self, sluices):
        self.sluices = sluices

    def power(self, water):
        flow = tf.reduce_sum(self.sluices.opening(water), axis=1)
        return flow * self.sluices.height - 0.1 * tf.square(flow)


def seasons():
    for season in range(3):
        yield 1.0 + tf.reshape(tf.abs(tf.sin(tf.range(8.0) + season)), [4, 2])


def run(start):
    sluices = Sluices(start)
    race = Race(sluices)
    for water in seasons():
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(race.power(water))
        gain, height = tape.gradient(loss, [sluices.gain, sluices.height])
        sluices.height.assign_sub(0.01 * height)
    return {"gain": gain, "height": height}


def broken():
    return run(start=2.0)


def fixed():
    return run(start=0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
