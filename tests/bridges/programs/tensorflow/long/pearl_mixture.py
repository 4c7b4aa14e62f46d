"""A mixture density network for the size of pearls, given the water they grew in."""
import csv
import io
import sys

import keras
import tensorflow as tf

CATCH = """warmth,salt,size
18.1,34.2,7.1
19.4,33.8,7.9
17.2,35.0,6.4
21.3,34.4,9.2
20.2,34.9,8.8
16.8,33.1,88.0
18.8,34.6,7.4
22.0,33.9,9.9
"""


def read(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    water = [[(float(r["warmth"]) - 19.0) / 2.0, float(r["salt"]) - 34.2] for r in rows]
    return tf.constant(water), tf.constant([float(r["size"]) for r in rows])


def spread(phase):
    return lambda shape, dtype=None: 0.5 * tf.reshape(tf.sin(1.9 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class PearlNet(keras.Model):
    def __init__(self, kinds=3):
        super().__init__(name="pearl")
        self.kinds = kinds
        self.body = keras.layers.Dense(8, activation="tanh", kernel_initializer=spread(0.3), name="body")
        self.head = keras.layers.Dense(3 * kinds, kernel_initializer=spread(1.7), name="head")

    def call(self, water):
        share, middle, width = tf.split(self.head(self.body(water)), 3, axis=1)
        return tf.nn.log_softmax(share), middle + 8.0, tf.nn.softplus(width) + 0.3


class Likelihood:
    def __call__(self, parts, size):
        share, middle, width = parts
        apart = (size[:, tf.newaxis] - middle) / width
        density = tf.exp(share - 0.5 * tf.square(apart)) / width
        return -tf.reduce_mean(tf.math.log(tf.reduce_sum(density, axis=1)))  #!


class SafeLikelihood:
    def __call__(self, parts, size):
        share, middle, width = parts
        apart = (size[:, tf.newaxis] - middle) / width
        return -tf.reduce_mean(tf.reduce_logsumexp(share - 0.5 * tf.square(apart) - tf.math.log(width), axis=1))


def dive(likelihood, dives=2):
    model = PearlNet()
    water, size = read(CATCH)
    for _ in range(dives):
        with tf.GradientTape() as tape:
            loss = likelihood(model(water), size)
        gradients = tape.gradient(loss, model.trainable_variables)
        for weight, gradient in zip(model.trainable_variables, gradients):
            weight.assign_sub(0.001 * gradient)
    return {weight.path: gradient for weight, gradient in zip(model.trainable_variables, gradients) if weight.name == "kernel"}


def broken():
    return dive(Likelihood())


def fixed():
    return dive(SafeLikelihood())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
