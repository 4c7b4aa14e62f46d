"""Hardness of soap by its oils: a soft threshold with a slope of its own, written by hand for stability."""
import sys

import tensorflow as tf


@tf.custom_gradient
def soft_threshold(x, width):
    moved = x / width
    value = width * tf.math.softplus(moved)

    def slopes(upstream):
        return upstream * tf.sigmoid(moved), None  #!

    return value, slopes


@tf.custom_gradient
def soft_threshold_both(x, width):
    moved = x / width
    value = width * tf.math.softplus(moved)

    def slopes(upstream):
        by_width = tf.math.softplus(moved) - moved * tf.sigmoid(moved)
        return upstream * tf.sigmoid(moved), tf.reduce_sum(upstream * by_width)

    return value, slopes


class Soap(tf.Module):
    def __init__(self, threshold):
        super().__init__(name="soap")
        self.threshold = threshold
        self.oils = tf.Variable([0.4, -0.2, 0.7], name="oils")
        self.width = tf.Variable(0.5, name="width")
        self.water = tf.Variable(0.1, name="water")

    def hardness(self, batch):
        raw = tf.linalg.matvec(batch, self.oils) - self.water
        return self.threshold(raw, self.width)  #~


def batches(count):
    for number in range(count):
        batch = tf.reshape(tf.sin(tf.range(18.0) + number), [6, 3])
        yield batch, tf.abs(tf.reduce_mean(batch, axis=1))


def cure(threshold):
    soap = Soap(threshold)
    optimizer = tf.keras.optimizers.SGD(0.05)
    for batch, hardness in batches(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(soap.hardness(batch) - hardness))
        oils, width, water = tape.gradient(loss, [soap.oils, soap.width, soap.water])
        optimizer.apply_gradients([(oils, soap.oils), (water, soap.water)])
    return {"oils": oils, "width": width, "water": water}


def broken():
    return cure(soft_threshold)


def fixed():
    return cure(soft_threshold_both)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
