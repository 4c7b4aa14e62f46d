"""Sets sundials: the angle between the shadow and each line of the dial, for directions of length one."""
import sys

import tensorflow as tf


def unit(vectors):
    return tf.math.l2_normalize(vectors, axis=-1)


class Dial(tf.Module):
    def __init__(self, angle):
        super().__init__(name="dial")
        self.angle = angle
        self.north = tf.Variable([0.0, 1.0], name="north")
        self.lean = tf.Variable(0.3, name="lean")

    def lines(self):
        turns = tf.stack([tf.range(-1.0, 2.0) * 0.5, tf.ones([3])], axis=1)
        return unit(turns)

    def __call__(self, shadow_length):
        cosines = tf.linalg.matvec(self.lines(), unit(self.north))
        return self.angle(cosines) * shadow_length / tf.cos(self.lean)


def arc(cosines):
    return tf.acos(cosines)  #!


def chord(cosines):
    return tf.acos(0.999 * cosines)


def observations():
    yield from ((1.0, [0.5, 0.1, 0.4]), (1.4, [0.6, 0.1, 0.7]))


def place(angle):
    dial = Dial(angle)
    grads = {}
    for length, seen in observations():
        with tf.GradientTape() as tape:
            miss = tf.reduce_sum(tf.square(dial(length) - tf.constant(seen)))
        grads = dict(zip(("lean", "north"), tape.gradient(miss, dial.trainable_variables)))
        dial.lean.assign_sub(0.01 * grads["lean"])
    return {"north": grads["north"]}


def broken():
    return place(arc)


def fixed():
    return place(chord)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
