"""Corrects a weather mast: direction of the wind from two components, trained on hours some of which are calm."""
import sys

import keras
import numpy as np
import tensorflow as tf


def gain(shape, dtype=None):
    return tf.eye(*shape) + 0.1


class Direction(keras.layers.Layer):
    def __init__(self, floor=0.0, **options):
        super().__init__(**options)
        self.floor = floor

    def call(self, wind):
        east, north = wind[:, 0], wind[:, 1]
        if self.floor:
            calm = tf.abs(east) + tf.abs(north) < self.floor
            north = tf.where(calm, 1.0, north)
        return tf.atan2(east, north)  #!


def build(floor):
    inputs = keras.Input((2,))
    wind = keras.layers.Dense(2, use_bias=False, kernel_initializer=gain, name="mast")(inputs)
    return keras.Model(inputs, Direction(floor, name="direction")(wind), name="vane")


def hours():
    east = np.array([1.0, -2.0, 0.5, 3.0, 0.0, 1.5], np.float32)
    north = np.array([0.5, 1.0, -1.0, 2.0, 0.0, -0.5], np.float32)
    wind = np.stack([east, north], axis=1)
    return tf.data.Dataset.from_tensor_slices((wind, np.arctan2(east, north))).batch(2)


def train(floor=0.0):
    vane, optimizer = build(floor), keras.optimizers.Adam(1e-3)
    found = {}
    for wind, angle in hours():
        with tf.GradientTape() as tape:
            turned = vane(wind, training=True) - angle
            loss = tf.reduce_mean(1.0 - tf.cos(turned))
        grads = tape.gradient(loss, vane.trainable_weights)
        optimizer.apply(grads, vane.trainable_weights)
        found = {v.path: g for v, g in zip(vane.trainable_weights, grads)}
    return found


def broken():
    return train()


def fixed():
    return train(floor=1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
