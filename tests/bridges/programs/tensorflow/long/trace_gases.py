"""Retrieves trace gases from spectra with a net in mixed precision; concentrations are given as shares of
air.
"""
import sys

import keras
import tensorflow as tf


def lines(shape, dtype=None):
    return 0.2 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.6 + 0.1), shape)


class Retrieval(keras.Model):
    def __init__(self, policy, **options):
        super().__init__(**options)
        dense = lambda units, name: keras.layers.Dense(
            units, "tanh", kernel_initializer=lines, dtype=policy, name=name
        )
        self.absorb = dense(8, "absorb")
        self.layers_of_air = dense(6, "air")
        self.gases = keras.layers.Dense(2, kernel_initializer=lines, dtype=policy, name="gases")

    def call(self, spectra):
        return self.gases(self.layers_of_air(self.absorb(spectra)))


class Training:
    def __init__(self, policy):
        self.model = Retrieval(policy, name="retrieval")
        self.unit = 1e-6  # parts per million

    def loss(self, spectra, shares):
        predicted = self.model(spectra)
        shares_of_air = self.unit * tf.cast(predicted, tf.float32)  #!
        return tf.reduce_mean(tf.square(shares_of_air - shares))

    def gradients(self, spectra, shares):
        with tf.GradientTape() as tape:
            loss = self.loss(spectra, shares)
        weights = self.model.trainable_variables
        return {weight.path: grad for weight, grad in zip(weights, tape.gradient(loss, weights))}


def atmosphere(days=6, channels=5):
    spectra = tf.reshape(tf.cos(tf.range(float(days * channels)) * 0.4), [days, channels])
    shares = 1e-6 * (2.0 + tf.reshape(tf.sin(tf.range(2.0 * days)), [days, 2]))
    return tf.data.Dataset.from_tensor_slices((spectra, shares)).batch(3)


def retrieve(policy, rate=0.1):
    training = Training(policy)
    for spectra, shares in atmosphere():
        grads = training.gradients(spectra, shares)
        for weight in training.model.trainable_variables:
            weight.assign(weight - rate * grads[weight.path])
    return {
        name: grads[name]
        for name in ("retrieval/absorb/kernel", "retrieval/gases/kernel", "retrieval/gases/bias")
    }


def broken():
    return retrieve("mixed_float16")


def fixed():
    return retrieve("float32")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
