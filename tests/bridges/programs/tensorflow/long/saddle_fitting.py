"""Photographs of horses' backs: an anchor, a match and a stranger for each saddle, trained with a triplet loss."""
import sys

import keras
import tensorflow as tf


def made(shape, scale, phase):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(scale * tf.sin(0.9 * tf.range(count, dtype=tf.float32) + phase), shape)


class BackShape(keras.layers.Layer):
    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = size

    def build(self, shape):
        self.filters = self.add_weight(name="filters", shape=(5, shape[-1], 8), initializer=lambda s, dtype=None: made(s, 0.3, 0.2))
        self.project = self.add_weight(name="project", shape=(8, self.size), initializer=lambda s, dtype=None: made(s, 0.5, 1.1))

    def call(self, outlines):
        seen = tf.nn.gelu(tf.nn.conv1d(outlines, self.filters, stride=2, padding="SAME"))
        code = tf.reduce_mean(seen, axis=1) @ self.project
        return tf.math.l2_normalize(code, axis=-1)


class Fitter:
    margin = 0.4

    def __init__(self, backs):
        self.embed = BackShape(6, name="back")
        self.embed.build((None, 32, 2))
        self.backs = backs
        self.rate = 0.05

    def distance(self, left, right):
        return tf.reduce_sum(tf.square(left - right), axis=-1)

    def triplet(self, anchor, match, stranger):
        codes = [self.embed(self.backs[i][tf.newaxis]) for i in (anchor, match, stranger)]  #!
        near, far = self.distance(codes[0], codes[1]), self.distance(codes[0], codes[2])
        return tf.nn.softplus(near - far + self.margin)[0]

    def loss(self, triplets):
        total = 0.0
        for anchor, match, stranger in triplets:
            total += self.triplet(anchor, match, stranger)  #~
        return total / len(triplets)

    def fit(self, triplets, epochs=2):
        for _ in range(epochs):
            with tf.GradientTape() as tape:
                loss = self.loss(triplets)
            weights = self.embed.trainable_variables
            gradients = tape.gradient(loss, weights)
            for weight, gradient in zip(weights, gradients):
                weight.assign_sub(self.rate * gradient)
        return {weight.path: gradient for weight, gradient in zip(weights, gradients)}


class BatchFitter(Fitter):
    def loss(self, triplets):
        rows = tf.constant(triplets)
        anchor, match, stranger = (self.embed(tf.gather(self.backs, rows[:, i])) for i in range(3))
        gap = self.distance(anchor, match) - self.distance(anchor, stranger)
        return tf.reduce_mean(tf.nn.softplus(gap + self.margin))


def stable():
    backs = made([12, 32, 2], 1.0, 0.4) + made([12, 1, 2], 0.7, 2.0)
    return backs, [(i % 12, (i * 5 + 1) % 12, (i * 7 + 3) % 12) for i in range(24)]


def broken():
    backs, triplets = stable()
    return Fitter(backs).fit(triplets)


def fixed():
    backs, triplets = stable()
    return BatchFitter(backs).fit(triplets)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
