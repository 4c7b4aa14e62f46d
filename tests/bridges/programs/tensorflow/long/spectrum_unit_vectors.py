"""Classifies spectra by cosine similarity; every vector is normalised by hand in a Keras layer."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return 0.5 * tf.reshape(tf.cos(tf.range(float(count)) + 0.2), shape)


class UnitLength(keras.layers.Layer):
    def call(self, vectors):
        return vectors / tf.norm(vectors, axis=-1, keepdims=True)  #!


class SafeUnitLength(keras.layers.Layer):
    def call(self, vectors):
        squares = tf.reduce_sum(tf.square(vectors), axis=-1, keepdims=True)
        return vectors * tf.math.rsqrt(squares + 1e-8)


def spectra():
    rows = tf.reshape(tf.sin(tf.range(20.0)), [4, 5])
    silent = tf.constant([[1.0], [1.0], [0.0], [1.0]])
    return rows * silent, tf.constant([0, 1, 1, 0])


def build(unit_length):
    inputs = keras.Input([5], name="spectrum")
    code = keras.layers.Dense(3, use_bias=False, kernel_initializer=ramp, name="code")(inputs)
    unit = unit_length(name="unit")(code)
    logits = keras.layers.Dense(2, kernel_initializer=ramp, name="mineral")(unit)
    return keras.Model(inputs, logits, name="minerals")


def gradients(unit_length):
    model = build(unit_length)
    rows, minerals = spectra()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape() as tape:
        loss = loss_of(minerals, model(rows, training=True))
    kernels = [model.get_layer("code").kernel, model.get_layer("mineral").kernel]
    return dict(zip(["code/kernel", "mineral/kernel"], tape.gradient(loss, kernels)))


def broken():
    return gradients(UnitLength)


def fixed():
    return gradients(SafeUnitLength)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
