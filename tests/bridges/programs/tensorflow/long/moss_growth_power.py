"""Allometric growth of moss: mass is a power of the patch's area, fitted on plots of which some are bare."""
import sys

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="moss")
class Allometry(keras.layers.Layer):
    def __init__(self, epsilon=0.0, **options):
        super().__init__(**options)
        self.epsilon = epsilon

    def build(self, shape):
        self.exponent = self.add_weight(name="exponent", shape=(), initializer=keras.initializers.Constant(0.7))

    def call(self, area):
        return tf.pow(area + self.epsilon, self.exponent)  #!

    def get_config(self):
        return {**super().get_config(), "epsilon": self.epsilon}


def network(epsilon):
    inputs = keras.Input([3], name="cover")
    area = keras.layers.Dense(1, activation="relu", name="area", kernel_initializer=keras.initializers.Constant(0.4))(inputs)
    mass = Allometry(epsilon, name="allometry")(area)
    return keras.Model(inputs, mass, name="patch")


def plots():
    cover = tf.constant([[0.5, 0.2, 0.1], [0.0, 0.0, 0.0], [1.0, 0.4, 0.3], [0.2, 0.9, 0.1]])
    return cover, tf.reduce_sum(cover, axis=1, keepdims=True) ** 0.8


def train(epsilon, steps=2):
    model, (cover, mass) = network(epsilon), plots()
    optimizer = keras.optimizers.SGD(0.01)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.mean_squared_error(mass, model(cover, training=True)))
        grads = tape.gradient(loss, model.trainable_weights)
        optimizer.apply(grads, model.trainable_weights)
    return {weight.path: grad for weight, grad in zip(model.trainable_weights, grads)}


def broken():
    return train(0.0)


def fixed():
    return train(1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
