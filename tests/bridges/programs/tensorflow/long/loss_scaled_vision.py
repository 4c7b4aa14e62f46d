"""Mixed precision by hand: a float16 forward pass with a loss scale that only ever grows."""
import sys

import tensorflow as tf


class Vision(tf.Module):
    def __init__(self):
        super().__init__(name="vision")
        self.kernel = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(20.0)), [5, 4]), name="kernel")
        self.head = tf.Variable([[0.4], [0.2], [-0.6], [0.1]], name="head")

    def __call__(self, images):
        kernel = tf.cast(self.kernel, tf.float16)
        hidden = tf.tanh(tf.matmul(tf.cast(images, tf.float16), kernel))
        return tf.matmul(hidden, tf.cast(self.head, tf.float16))


class LossScale:
    def __init__(self, start, factor):
        self.value, self.factor = start, factor

    def scaled(self, loss):
        return loss * tf.cast(self.value, loss.dtype)  #!

    def grow(self):
        self.value *= self.factor


class Trainer:
    def __init__(self, scale):
        self.vision, self.scale = Vision(), scale
        self.images = tf.reshape(tf.cos(tf.range(30.0)), [6, 5])
        self.answers = tf.constant([[3.0], [9.0], [-4.0], [12.0], [0.0], [-7.0]], tf.float16)

    def step(self):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.vision(self.images) - self.answers))
            scaled = self.scale.scaled(loss)
        sources = {"kernel": self.vision.kernel, "head": self.vision.head}
        return tape.gradient(scaled, sources)

    def run(self, rounds):
        for _ in range(rounds):
            grads = self.step()
            self.scale.grow()
        return grads


def broken():
    return Trainer(LossScale(start=8.0, factor=128.0)).run(rounds=4)


def fixed():
    return Trainer(LossScale(start=8.0, factor=1.0)).run(rounds=4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
