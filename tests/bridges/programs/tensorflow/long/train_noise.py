"""Predicts how loud trains are: a residual net of Keras layers with two branches, by a functional train
loop.
"""
import sys

import keras
import tensorflow as tf


def rail(shape, dtype=None):
    return 0.35 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 1.1 + 0.2), shape)


def dense(units, name, activation=None):
    return keras.layers.Dense(units, activation, kernel_initializer=rail, name=name)


class Residual(keras.layers.Layer):
    def __init__(self, width, **options):
        super().__init__(**options)
        self.near = dense(width, "near", "tanh")
        self.far = dense(width, "far", "tanh")
        self.norm = keras.layers.LayerNormalization(name="norm")

    def call(self, x):
        near = self.near(x)
        far = self.far(x)
        return self.norm(self.join(x, near, far))

    def join(self, x, near, far):
        return x + near + near


class BothBranches(Residual):
    def join(self, x, near, far):
        return x + near + far


class NoiseModel(keras.Model):
    def __init__(self, block, **options):
        super().__init__(**options)
        self.track = dense(5, "track")
        self.block = block(5, name="block")
        self.loudness = dense(1, "loudness")

    def call(self, trains):
        return self.loudness(self.block(self.track(trains)))


class Measurement:
    def __init__(self, passes=12):
        self.trains = tf.reshape(tf.cos(tf.range(passes * 3.0) * 0.5), [passes, 3])
        self.loudness = 0.7 + 0.2 * tf.reduce_sum(self.trains, axis=1, keepdims=True)

    def batches(self):
        return tf.data.Dataset.from_tensor_slices((self.trains, self.loudness)).batch(4)


def huber(error, limit=1.0):
    size = tf.abs(error)
    return tf.where(size < limit, 0.5 * tf.square(error), limit * (size - 0.5 * limit))


def train(block, rate=0.05):
    model = NoiseModel(block, name="noise")
    for trains, loudness in Measurement().batches():
        with tf.GradientTape() as tape:
            error = model(trains, training=True) - loudness
            loss = tf.reduce_mean(huber(error))  #!
        weights = model.trainable_weights
        grads = tape.gradient(loss, weights)
        for weight, grad in zip(weights, grads):
            if grad is not None:
                weight.assign(weight - rate * grad)
    return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return train(Residual)


def fixed():
    return train(BothBranches)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
