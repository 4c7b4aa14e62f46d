"""Frost on a slope from thermal images; every block turns the layout of its input to channels first and back."""
import sys

import tensorflow as tf


def filters(size, ins, outs, name):
    count = float(size * size * ins * outs)
    return tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(count) * 1.1), [size, size, ins, outs]), name=name)


class Block(tf.Module):
    """Normalizes the channels, then convolves."""

    def __init__(self, ins, outs, name):
        super().__init__(name=name)
        self.kernel = filters(3, ins, outs, name)

    def channels_first(self, image):
        return tf.transpose(image, [0, 3, 1, 2])

    def channels_last(self, image):
        return tf.transpose(image, [0, 2, 3, 1])

    def prepare(self, image):
        return self.channels_last(self.channels_first(image))  #!

    def __call__(self, image):
        mean = tf.reduce_mean(image, axis=[1, 2], keepdims=True)
        return tf.nn.elu(tf.nn.conv2d(self.prepare(image) - mean, self.kernel, 1, "SAME"))


class DirectBlock(Block):
    def prepare(self, image):
        return image


class Frost:
    def __init__(self, block):
        self.blocks = [block(1, 4, "cold"), block(4, 2, "valley")]

    def map(self, image):
        for block in self.blocks:
            image = block(image)
        return tf.nn.sigmoid(tf.reduce_mean(image, axis=-1))

    def weights(self):
        return [block.kernel for block in self.blocks]


def nights(frost, count=3):
    for night in range(count):
        image = tf.reshape(tf.cos(tf.range(128.0) * 0.2 + night), [2, 8, 8, 1])
        frozen = tf.cast(image[..., 0] < 0.0, tf.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(frost.map(image) - frozen))
        grads = tape.gradient(loss, frost.weights())
        for weight, grad in zip(frost.weights(), grads):
            weight.assign_sub(0.1 * grad)
    return dict(zip(("cold", "valley"), grads))


def broken():
    return nights(Frost(Block))


def fixed():
    return nights(Frost(DirectBlock))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
