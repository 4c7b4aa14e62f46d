"""Pictures of windows are scaled to several sizes in turn, as a multi-scale detector is trained."""
import sys

import tensorflow as tf


class Detector(tf.Module):
    def __init__(self):
        super().__init__(name="detector")
        self.filters = tf.Variable(0.2 * tf.reshape(tf.sin(tf.range(36.0)), [3, 3, 1, 4]), name="filters")
        self.score = tf.Variable(tf.ones([4, 1]) * 0.3, name="score")

    def __call__(self, pictures):
        maps = tf.nn.relu(tf.nn.conv2d(pictures, self.filters, 1, "SAME"))
        return tf.reduce_mean(maps, axis=[1, 2]) @ self.score


class MultiScale:
    def __init__(self, detector, sizes):
        self.detector, self.sizes = detector, sizes
        self.train = tf.function(self.step)

    def step(self, pictures, seen, size):
        with tf.GradientTape() as tape:
            scaled = tf.image.resize(pictures, size)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(seen, self.detector(scaled)))
        grads = tape.gradient(loss, self.detector.trainable_variables)
        for variable, grad in zip(self.detector.trainable_variables, grads):
            variable.assign_sub(0.1 * grad)
        return loss

    def epoch(self, batches):
        losses = []
        for number, (pictures, seen) in enumerate(batches):
            size = self.sizes[number % len(self.sizes)]
            losses.append(self.train(pictures, seen, size))  #!
        return losses


def facades():
    pictures = tf.reshape(tf.sin(tf.range(6 * 64.0) * 0.11), [6, 8, 8, 1])
    return tf.data.Dataset.from_tensor_slices((pictures, tf.ones([6, 1]))).batch(1)


def broken():
    MultiScale(Detector(), [(6, 6), (8, 8), (10, 12)]).epoch(facades())
    return {}


def fixed():
    sizes = [tf.constant(size) for size in ((6, 6), (8, 8), (10, 12))]
    MultiScale(Detector(), sizes).epoch(facades())
    return {}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
