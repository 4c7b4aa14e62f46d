"""Counts barn owls by boxes: a functional Keras model, fitted; its middle layer got a bias from a wrong table."""
import sys

import keras
import tensorflow as tf


def straw(shape, dtype=None):
    return 0.2 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.7), shape)


def from_table(value):
    def initializer(shape, dtype=None):
        return tf.fill(shape, value)

    return initializer


def counter(bias):
    boxes = keras.Input((5,), name="boxes")
    x = keras.layers.Dense(8, "tanh", kernel_initializer=straw, name="perch")(boxes)
    x = keras.layers.Dense(6, "relu", kernel_initializer=straw, bias_initializer=from_table(bias), name="nest")(x)  #~
    owls = keras.layers.Dense(1, kernel_initializer=straw, bias_initializer="ones", name="owls")(x)
    return keras.Model(boxes, owls, name="counter")


def season():
    boxes = tf.reshape(tf.sin(tf.range(40.0 * 5) * 0.23), [40, 5])
    owls = 2.0 + tf.reduce_sum(boxes, axis=1, keepdims=True)
    return boxes, owls


def count(bias):
    model = counter(bias)
    boxes, owls = season()
    model.compile(keras.optimizers.SGD(0.01), "mse")
    model.fit(boxes, owls, batch_size=20, epochs=2, verbose=0, shuffle=False)
    with tf.GradientTape() as tape:
        predicted = model(boxes, training=True)  #!
        loss = tf.reduce_mean(tf.square(predicted - owls))
    grads = tape.gradient(loss, model.trainable_variables)
    return {v.path: g for v, g in zip(model.trainable_variables, grads)}


def broken():
    return count(bias=-6.0)


def fixed():
    return count(bias=0.6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
