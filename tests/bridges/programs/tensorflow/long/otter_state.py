"""Counts of otters through the year: a hidden state is carried from month to month in a variable of the model."""
import sys

import tensorflow as tf


class Otters(tf.Module):
    def __init__(self):
        super().__init__(name="otters")
        self.carry = tf.Variable(0.6, name="carry")
        self.births = tf.Variable([0.3, 0.1], name="births")
        self.scale = tf.Variable(1.2, name="scale")
        self.state = tf.Variable(tf.zeros([2]), trainable=False, name="state")

    def month(self, fish):
        self.state.assign(tf.tanh(self.carry * self.state + self.births * fish))  #!

    def count(self, year):
        self.state.assign(tf.zeros([2]))
        for fish in year:
            self.month(fish)
        return self.scale * tf.reduce_sum(self.state)


class TensorOtters(Otters):
    def count(self, year):
        state = tf.zeros([2])
        for fish in year:
            state = tf.tanh(self.carry * state + self.births * fish)
        return self.scale * tf.reduce_sum(state)


def observe(kind, years=2):
    otters = kind()
    sources = {"births": otters.births, "scale": otters.scale}
    for year in range(years):
        fish = [1.0 + 0.1 * month * (year + 1) for month in range(6)]
        smooth = tf.stop_gradient(otters.carry)
        with tf.GradientTape() as tape:
            loss = tf.square(otters.count(fish) - 2.0) + 0.01 * tf.square(smooth)
        grads = tape.gradient(loss, sources)
        otters.scale.assign_sub(0.05 * grads["scale"])
    return grads


def broken():
    return observe(Otters)


def fixed():
    return observe(TensorOtters)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
