"""Varnish of lutes: gradients are clipped by how large they were before, one history for each weight."""
import sys

import keras
import numpy as np
import tensorflow as tf


def brushed(phase):
    return lambda shape, dtype=None: 0.4 * tf.reshape(tf.sin(1.3 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class HistoryClip:
    """Clips at the mean of the norms so far."""

    def __init__(self, weights):
        self.norms = [[] for _ in weights]

    def __call__(self, gradients):
        clipped = []
        for past, gradient in zip(self.norms, gradients):
            past.append(float(tf.norm(gradient)))  #!
            clipped.append(tf.clip_by_norm(gradient, np.mean(past) + 1e-6))
        return clipped


class KeptClip:
    """The same with the norms as tensors."""

    def __init__(self, weights):
        self.norms = [[] for _ in weights]

    def __call__(self, gradients):
        clipped = []
        for past, gradient in zip(self.norms, gradients):
            past.append(tf.norm(gradient))
            clipped.append(tf.clip_by_norm(gradient, tf.add_n(past) / len(past) + 1e-6))
        return clipped


def varnish():
    return keras.Sequential([
        keras.Input((4,)),
        keras.layers.Dense(8, activation="tanh", kernel_initializer=brushed(0.2), name="ground"),
        keras.layers.Dense(1, kernel_initializer=brushed(1.1), name="gloss"),
    ], name="varnish")


def polish(clip_of, coats=7):
    model = varnish()
    weights = model.trainable_variables
    clip, optimizer = clip_of(weights), keras.optimizers.SGD(0.05)
    wood = tf.reshape(tf.cos(0.5 * tf.range(48.0)), [12, 4])
    for coat in range(coats):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(wood) - tf.reduce_sum(wood, axis=1, keepdims=True) * (1.0 + 0.1 * coat)))
        gradients = clip(tape.gradient(loss, weights))
        optimizer.apply_gradients(zip(gradients, weights))
    return {weight.path: gradient for weight, gradient in zip(weights, gradients)}


def broken():
    return polish(HistoryClip)


def fixed():
    return polish(KeptClip)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
