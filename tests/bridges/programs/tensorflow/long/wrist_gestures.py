"""Recognises gestures on a wristband: activations are cut at learned levels, to be stored in few bits
later.
"""
import sys

import keras
import tensorflow as tf


@tf.custom_gradient
def cut(x, level):
    """x between 0 and level; the gradient passes where nothing was cut."""
    inside = tf.logical_and(x > 0.0, x < level)

    def backward(upstream):
        return tf.where(inside, upstream, tf.zeros_like(upstream)), None  #!

    return tf.clip_by_value(x, 0.0, level), backward


@tf.custom_gradient
def learned_cut(x, level):
    inside = tf.logical_and(x > 0.0, x < level)

    def backward(upstream):
        passed = tf.where(inside, upstream, tf.zeros_like(upstream))
        return passed, tf.reduce_sum(tf.where(x >= level, upstream, tf.zeros_like(upstream)))

    return tf.clip_by_value(x, 0.0, level), backward


def strokes(shape, dtype=None):
    return 1.2 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8 + 0.5), shape)


class CutDense(keras.layers.Layer):
    def __init__(self, units, function, start, **options):
        super().__init__(**options)
        self.dense = keras.layers.Dense(units, kernel_initializer=strokes, name="dense")
        self.function, self.start = function, start

    def build(self, shape):
        self.dense.build(shape)
        self.level = self.add_weight(
            shape=(), initializer=keras.initializers.Constant(self.start), name="level"
        )

    def call(self, x):
        return self.function(self.dense(x), tf.convert_to_tensor(self.level))  #~


class Gestures(keras.Model):
    def __init__(self, function, **options):
        super().__init__(**options)
        self.low = CutDense(8, function, 0.4, name="low")
        self.high = CutDense(6, function, 0.1, name="high")
        self.kind = keras.layers.Dense(3, kernel_initializer=strokes, name="kind")

    def call(self, motion):
        return self.kind(self.high(self.low(motion)))


def train(function, epochs=2):
    model = Gestures(function, name="gestures")
    motion = tf.reshape(tf.cos(tf.range(36.0) * 0.5), [9, 4])
    kinds = tf.range(9) % 3
    data = tf.data.Dataset.from_tensor_slices((motion, kinds)).batch(3)
    model(motion)
    weights = model.trainable_variables

    @tf.function
    def step(motion, kinds):
        with tf.GradientTape() as tape:
            logits = model(motion, training=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(kinds, logits))
        grads = tape.gradient(loss, weights)
        for weight, grad in zip(weights, grads):
            if grad is not None:
                weight.assign(weight - 0.05 * grad)
        return grads

    for _ in range(epochs):
        for batch in data:
            grads = step(*batch)
    return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return train(cut)


def fixed():
    return train(learned_cut)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
