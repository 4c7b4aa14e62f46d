"""Preprocesses crops of fields and trains a filter; crops are prepared under the tape with a gain."""
import sys

import tensorflow as tf


class Preparation(tf.Module):
    """Contrast and brightness; both were tuned by hand long ago."""

    def __init__(self, gain):
        super().__init__(name="preparation")
        self.gain = gain

    def __call__(self, crops):
        bright = tf.pow(crops * self.gain, 1.2)  #!
        return bright - tf.reduce_mean(bright, axis=[1, 2], keepdims=True)


class FieldModel(tf.Module):
    def __init__(self):
        super().__init__(name="field")
        self.filters = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(18.0)), [3, 3, 1, 2]), name="filters")
        self.head = tf.Variable([[0.4], [-0.2]], name="head")

    def __call__(self, crops):
        maps = tf.nn.softplus(tf.nn.conv2d(crops, self.filters, 1, "SAME"))
        return tf.matmul(tf.reduce_mean(maps, axis=[1, 2]), self.head)


class Trainer:
    def __init__(self, gain):
        self.preparation, self.model = Preparation(gain), FieldModel()
        self.crops = 0.6 + 0.4 * tf.reshape(tf.cos(tf.range(8.0 * 32 * 32)), [8, 32, 32, 1])
        self.cover = tf.reshape(tf.linspace(0.1, 0.8, 8), [8, 1])

    def step(self):
        sources = {"filters": self.model.filters, "head": self.model.head}
        with tf.GradientTape() as tape:
            predicted = self.model(self.preparation(self.crops))
            loss = tf.reduce_mean(tf.square(predicted - self.cover))
        return tape.gradient(loss, sources)


def broken():
    gain = tf.Variable(tf.ones([32, 32, 1]), name="gain")  #~
    return Trainer(gain).step()


def fixed():
    return Trainer(tf.ones([32, 32, 1])).step()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
