"""A tf.Module that holds Keras layers; its variables are collected for the tape."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return 0.3 * tf.reshape(tf.sin(tf.range(float(count)) + 0.5), shape)


class Tasting(tf.Module):
    """Predicts a rating from the amounts of the ingredients."""

    def __init__(self):
        super().__init__(name="tasting")
        self.mix = keras.layers.Dense(5, activation="tanh", kernel_initializer=ramp, name="mix")
        self.rate = keras.layers.Dense(1, kernel_initializer=ramp, name="rate")

    def __call__(self, amounts):
        return self.rate(self.mix(amounts))

    def to_train(self):
        return [v for v in self.trainable_variables if "kernel" in v.name]  #~


class CollectedTasting(Tasting):
    def to_train(self):
        return [self.mix.kernel, self.rate.kernel]


class Kitchen:
    def __init__(self, module):
        self.module = module
        self.amounts = tf.reshape(tf.cos(tf.range(20.0)), [5, 4])
        self.ratings = tf.constant([[3.0], [4.0], [2.0], [5.0], [1.0]])

    def loss(self):
        return tf.reduce_mean(tf.square(self.module(self.amounts) - self.ratings))

    def gradients(self):
        self.loss()
        variables = self.variables()
        with tf.GradientTape() as tape:
            loss = self.loss()
        grads = tape.gradient(loss, variables)  #!
        return {variable.path: grad for variable, grad in zip(variables, grads)}

    def variables(self):
        names = self.module.to_train()
        return [v for v in names if hasattr(v, "path")]


def broken():
    return Kitchen(Tasting()).gradients()


def fixed():
    return Kitchen(CollectedTasting()).gradients()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
