"""Mixed precision by hand: float16 in the network, float32 master weights, a loss scale that grows."""
import sys

import tensorflow as tf


class LossScale:
    """Doubles every so many good steps."""

    def __init__(self, start, every=2, most=float("inf")):
        self.value, self.every, self.most, self.good = start, every, most, 0

    def scale(self, loss):
        return loss * self.value

    def unscale(self, grads):
        return [tf.cast(grad, tf.float32) / self.value for grad in grads]

    def after(self):
        self.good += 1
        if self.good % self.every == 0:
            self.value = min(self.value * 8.0, self.most)


class Harbour(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(tf.reshape(tf.sin(tf.range(12.0)), [3, 4]), name="kernel")
        self.level = tf.Variable(tf.ones([4, 1]), name="level")

    def loss(self, winds, levels):
        half = lambda value: tf.cast(value, tf.float16)
        hidden = tf.nn.relu(half(winds) @ half(self.kernel))  #!
        guess = hidden @ half(self.level)
        return tf.reduce_mean(tf.square(tf.cast(guess, tf.float32) - levels))


def train(scale, steps=9, rate=1e-4):
    harbour = Harbour()
    winds = tf.reshape(tf.sin(tf.range(24.0) * 0.5), [8, 3])
    levels = tf.reshape(8.0 + tf.cos(tf.range(8.0)), [8, 1])
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = harbour.loss(winds, levels)
            scaled = scale.scale(loss)
        grads = scale.unscale(tape.gradient(scaled, [harbour.kernel, harbour.level]))
        for variable, grad in zip((harbour.kernel, harbour.level), grads):
            variable.assign_sub(rate * grad)
        scale.after()
    return {"kernel": grads[0], "level": grads[1]}


def broken():
    return train(LossScale(32.0))


def fixed():
    return train(LossScale(32.0, most=128.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
