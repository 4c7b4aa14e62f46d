"""Which pixels of a vase's picture speak for its century: gradients by the picture, written as a pipeline of steps."""
import sys

import tensorflow as tf


class Pipeline:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


def standardize(picture):
    mean = tf.reduce_mean(picture)
    return (picture - mean) / (tf.math.reduce_std(picture) + 1e-3)  #!


class Dating(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(0.2 * tf.reshape(tf.sin(tf.range(18.0)), [3, 3, 1, 2]), name="kernel")

    def __call__(self, picture):
        return tf.reduce_max(tf.nn.conv2d(picture, self.kernel, 1, "SAME"), axis=[1, 2])


def saliency(watches_first):
    dating = Dating()
    picture = tf.reshape(tf.cos(tf.range(36.0)), [1, 6, 6, 1])
    with tf.GradientTape() as tape:
        if watches_first:
            tape.watch(picture)
        clean = Pipeline(standardize, tf.nn.relu)(picture)
        if not watches_first:
            tape.watch(picture)
        score = dating(clean)[0, 1]
    return {"picture": tape.gradient(score, picture)}


def broken():
    return saliency(watches_first=False)


def fixed():
    return saliency(watches_first=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
