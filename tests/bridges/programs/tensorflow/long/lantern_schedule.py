"""Lanterns are dimmed to a wanted light; before training, a range of learning rates is tried out."""
import sys

import tensorflow as tf


class Lanterns(tf.Module):
    def __init__(self):
        super().__init__("lanterns")
        self.power = tf.Variable(tf.linspace(0.2, 0.8, 5), name="power")
        self.spread = tf.constant([[1.0 / (1.0 + abs(i - j)) for j in range(5)] for i in range(5)])

    def light(self):
        return tf.linalg.matvec(self.spread, tf.nn.relu(self.power))


def make_step(lanterns):
    @tf.function
    def dim(rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(lanterns.light() - 1.0))
        grad = tape.gradient(loss, lanterns.power)
        lanterns.power.assign_sub(rate * grad)
        return loss, grad

    return dim


class RangeTest:
    def __init__(self, lanterns, start=1e-3, factor=3.0):
        self.lanterns, self.start, self.factor = lanterns, start, factor
        self.dim = make_step(lanterns)

    def step(self, rate):
        return make_step(self.lanterns)(rate)  #!

    def run(self, rounds=4):
        rate = tf.constant(self.start)
        for _ in range(rounds):
            loss, grad = self.step(rate)
            rate = rate * self.factor
        return {"power": grad}


class KeptRangeTest(RangeTest):
    def step(self, rate):
        return self.dim(rate)


def broken():
    return RangeTest(Lanterns()).run()


def fixed():
    return KeptRangeTest(Lanterns()).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
