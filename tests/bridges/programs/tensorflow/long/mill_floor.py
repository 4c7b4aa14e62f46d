"""Fineness of flour by a small net in a compiled step; the hidden layer was started with a bias from another mill."""
import sys

import tensorflow as tf


class Mill(tf.Module):
    def __init__(self, start):
        super().__init__(name="mill")
        self.stones = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(12.0)), [3, 4]), name="stones")
        self.gap = tf.Variable(tf.fill([4], start), name="gap")
        self.sieve = tf.Variable(0.5 * tf.ones([4, 1]), name="sieve")
        self.base = tf.Variable(0.1, name="base")

    def ground(self, grain):
        return tf.nn.relu(grain @ self.stones + self.gap)  #!

    def fineness(self, grain):
        return self.ground(grain) @ self.sieve + self.base


@tf.function
def step(mill, grain, fine):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(mill.fineness(grain) - fine))
    sources = {"stones": mill.stones, "gap": mill.gap, "sieve": mill.sieve, "base": mill.base}
    return tape.gradient(loss, sources)


def run(start, sacks=3):
    mill = Mill(start)
    for sack in range(sacks):
        grain = tf.cos(tf.reshape(tf.range(15.0), [5, 3]) * 0.5 + sack)
        grads = step(mill, grain, tf.ones([5, 1]))
        for name, grad in grads.items():
            getattr(mill, name).assign_sub(0.01 * grad)
    return grads


def broken():
    return run(-3.0)


def fixed():
    return run(0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
