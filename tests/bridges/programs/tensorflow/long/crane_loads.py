"""Loads of a crane: gradients of valid samples are averaged over micro-batches, one of which holds none."""
import sys

import tensorflow as tf


class Crane:
    def __init__(self):
        self.arm = tf.Variable(tf.linspace(0.1, 0.6, 4)[:, tf.newaxis], name="arm")
        self.weight = tf.Variable(0.2, name="weight")

    def miss(self, loads, forces):
        return tf.square(tf.squeeze(loads @ self.arm, axis=1) + self.weight - forces)


class Accumulator:
    def __init__(self, divide):
        self.total, self.divide = 0.0, divide

    def add(self, each, valid):
        kept = tf.boolean_mask(each, valid)
        self.total += self.divide(tf.reduce_sum(kept), tf.reduce_sum(tf.cast(valid, tf.float32)))

    def loss(self):
        return self.total


def micro_batches():
    for number in range(3):
        loads = tf.reshape(tf.cos(tf.range(12.0) + number), [3, 4])
        yield loads, tf.range(3.0), tf.constant([True, number == 0, False]) if number < 2 else tf.zeros([3], tf.bool)


def lift(divide):
    crane = Crane()
    with tf.GradientTape() as tape:
        accumulator = Accumulator(divide)
        for loads, forces, valid in micro_batches():
            accumulator.add(crane.miss(loads, forces), valid)
        loss = accumulator.loss()
    grads = tape.gradient(loss, [crane.arm, crane.weight])
    return dict(zip(("arm", "weight"), grads))


def plain_mean(total, count):
    return total / count  #!


def broken():
    return lift(plain_mean)


def fixed():
    return lift(tf.math.divide_no_nan)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
