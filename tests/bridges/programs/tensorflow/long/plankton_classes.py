"""Plankton by size and colour: a subclassed model with two towers of which one answers nothing."""
import sys

import tensorflow as tf


class Tower(tf.keras.layers.Layer):
    def __init__(self, units, offset, **kwargs):
        super().__init__(**kwargs)
        self.inner = tf.keras.layers.Dense(
            units, activation="relu", kernel_initializer=tf.keras.initializers.Constant(0.2),
            bias_initializer=tf.keras.initializers.Constant(offset), name="inner")  #~
        self.outer = tf.keras.layers.Dense(3, kernel_initializer="ones", name="outer")

    def call(self, x):
        return self.outer(self.inner(x))  #!


class Plankton(tf.keras.Model):
    def __init__(self, offset):
        super().__init__(name="plankton")
        self.by_size = Tower(4, 0.1, name="by_size")
        self.by_colour = Tower(4, offset, name="by_colour")

    def call(self, inputs):
        size, colour = inputs
        return self.by_size(size) + self.by_colour(colour)


def haul():
    size = tf.abs(tf.sin(tf.reshape(tf.range(10.0), [5, 2])))
    colour = tf.abs(tf.cos(tf.reshape(tf.range(15.0), [5, 3])))
    return (size, colour), tf.constant([0, 1, 2, 1, 0])


def train(offset, hauls=3):
    model = Plankton(offset)
    inputs, labels = haul()
    model(inputs)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function
    def step(inputs, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(inputs, training=True))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return grads

    for _ in range(hauls):
        grads = step(inputs, labels)
    named = {variable.path: grad for variable, grad in zip(model.trainable_variables, grads)}
    wanted = ("by_colour/inner/kernel", "by_colour/inner/bias", "by_size/inner/kernel")
    return {path: grad for path, grad in named.items() if path.endswith(wanted)}


def broken():
    return train(offset=-9.0)


def fixed():
    return train(offset=0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
