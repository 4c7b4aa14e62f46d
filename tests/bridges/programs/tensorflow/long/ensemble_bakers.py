"""Bread by an ensemble: three bakers are trained one after another, each on its own days, with a relu that may be off."""
import sys

import tensorflow as tf


class Baker:
    def __init__(self, number, offset):
        self.dough = tf.Variable(0.2 + 0.1 * tf.reshape(tf.sin(tf.range(8.0) + number), [4, 2]), name=f"dough_{number}")
        self.oven = tf.Variable(0.3 * tf.ones([2]), name=f"oven_{number}")
        self.offset = tf.Variable(offset, name=f"offset_{number}")

    def __call__(self, flour):
        risen = tf.nn.relu(flour @ self.dough + self.offset)  #!
        return tf.linalg.matvec(risen, self.oven)

    def train(self, flour, loaves, steps=4):
        sources = [self.dough, self.oven, self.offset]
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(flour) - loaves))
            grads = tape.gradient(loss, sources)
            for source, grad in zip(sources, grads):
                source.assign_sub(0.02 * grad)
        return dict(zip([source.name.split(":")[0] for source in sources], grads))


def bake(offsets):
    found = {}
    for number, offset in enumerate(offsets):
        flour = 0.5 + 0.4 * tf.sin(tf.reshape(tf.range(24.0), [6, 4]) + number)
        found |= Baker(number, offset).train(flour, tf.reduce_sum(flour, axis=1))
    return {name: found[name] for name in ("dough_0", "dough_2", "offset_2")}


def broken():
    return bake([0.1, 0.1, -8.0])


def fixed():
    return bake([0.1, 0.1, 0.2])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
