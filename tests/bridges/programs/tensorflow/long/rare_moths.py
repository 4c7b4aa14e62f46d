"""Counts moths of a rare kind: the loss over the nights with a catch is averaged by batch."""
import sys

import tensorflow as tf


class CatchLoss:
    def __init__(self, mean):
        self.mean = mean

    def __call__(self, caught, expected):
        positive = tf.boolean_mask(expected - caught, caught > 0.0)
        quiet = tf.reduce_mean(tf.nn.relu(expected))
        return self.mean(tf.square(positive)) + 0.1 * quiet


def plain_mean(values):
    return tf.reduce_mean(values)  #!


def safe_mean(values):
    return tf.math.divide_no_nan(tf.reduce_sum(values), tf.cast(tf.size(values), tf.float32))


class Trap(tf.keras.Model):
    def __init__(self):
        super().__init__(name="trap")
        self.lamp = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.2), name="lamp")

    def call(self, nights):
        return tf.exp(self.lamp(nights))


def nights():
    weather = tf.reshape(tf.sin(tf.range(36.0)), [12, 3])
    caught = tf.constant([2.0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 0])[:, None]
    return tf.data.Dataset.from_tensor_slices((weather, caught)).batch(4)


def train(mean):
    trap, loss = Trap(), CatchLoss(mean)
    optimizer = tf.keras.optimizers.RMSprop(0.01)
    for weather, caught in nights():
        with tf.GradientTape() as tape:
            value = loss(caught, trap(weather))
        weights = trap.trainable_variables
        grads = tape.gradient(value, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"trap/lamp/kernel": grads[0], "trap/lamp/bias": grads[1]}


def broken():
    return train(plain_mean)


def fixed():
    return train(safe_mean)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
