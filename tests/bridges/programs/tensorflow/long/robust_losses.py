"""Fits a spring with losses that become more robust: each stage hands its own loss to the compiled step."""
import sys

import tensorflow as tf


def huber(width):
    return lambda error: tf.where(tf.abs(error) < width, 0.5 * error**2, width * (tf.abs(error) - 0.5 * width))


class Spring:
    def __init__(self):
        self.stiffness = tf.Variable(0.5, name="stiffness")
        self.rest = tf.Variable(0.1, name="rest")

    @tf.function
    def improve(self, lengths, forces, loss_of):
        with tf.GradientTape() as tape:
            error = self.stiffness * (lengths - self.rest) - forces
            loss = tf.reduce_mean(loss_of(error))
        by_stiffness, by_rest = tape.gradient(loss, [self.stiffness, self.rest])
        self.stiffness.assign_sub(0.1 * by_stiffness)
        self.rest.assign_sub(0.1 * by_rest)
        return loss


def fit(one_loss, stages=3):
    spring = Spring()
    lengths, forces = tf.linspace(0.0, 2.0, 6), tf.constant([0.0, 0.3, 0.7, 3.0, 1.6, 2.1])
    kept = huber(0.5)
    for stage in range(stages):
        loss_of = kept if one_loss else huber(0.5)  #~
        for _ in range(2):
            spring.improve(lengths, forces, loss_of)  #!
    return {}


def broken():
    return fit(one_loss=False)


def fixed():
    return fit(one_loss=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
