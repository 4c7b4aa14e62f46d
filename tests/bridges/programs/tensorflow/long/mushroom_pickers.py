"""Pickers rank places in the wood: a ranking loss asks that good places lie above bad ones by a margin."""
import sys

import keras
import tensorflow as tf


class Places:
    def __init__(self, count=24):
        ground = tf.range(count, dtype=tf.float32)
        self.marks = tf.stack([tf.sin(ground), tf.cos(0.4 * ground), ground / 8.0], axis=1)
        self.good = self.marks[:, 2] > 1.5

    def pairs(self):
        above = tf.boolean_mask(self.marks, self.good)
        below = tf.boolean_mask(self.marks, tf.logical_not(self.good))
        return above[:12], below[:12]


def initial(scale):
    return lambda shape, dtype=None: scale * tf.ones(shape)


class Ranker(keras.Model):
    def __init__(self, scale):
        super().__init__(name="ranker")
        self.lift = keras.layers.Dense(4, activation="softplus", kernel_initializer=initial(scale), name="lift")
        self.score = keras.layers.Dense(1, kernel_initializer=initial(scale), name="score")

    def call(self, places):
        return self.score(self.lift(places))[:, 0]


class Hinge:
    def __init__(self, margin=0.2):
        self.margin = margin

    def __call__(self, above, below):
        gap = tf.reduce_mean(above) - tf.reduce_mean(below)
        return tf.maximum(self.margin - gap, 0.0)  #!


class SoftHinge(Hinge):
    def __call__(self, above, below):
        gap = tf.reduce_mean(above) - tf.reduce_mean(below)
        return tf.nn.softplus(self.margin - gap)


def season(loss_of, weeks=3):
    ranker, places = Ranker(1.0), Places()
    decay = 1e-3
    optimizer = keras.optimizers.SGD(0.05)
    for _ in range(weeks):
        above, below = places.pairs()
        with tf.GradientTape() as tape:
            loss = loss_of(ranker(above), ranker(below))
            loss += decay * tf.nn.l2_loss(ranker.score.bias)
        weights = ranker.trainable_variables
        slopes = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(slopes, weights))
    return {w.path: s for w, s in zip(weights, slopes) if w.name == "kernel"}


def broken():
    return season(Hinge())


def fixed():
    return season(SoftHinge())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
