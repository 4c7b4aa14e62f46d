"""Dates ice cores with a temporal convolution whose border values are learned."""
import sys

import keras
import tensorflow as tf


def layers_of_snow(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.4 * tf.sin(tf.range(count, dtype=tf.float32) * 0.6 + 0.2), shape)


class LearnedBorder(keras.layers.Layer):
    """Adds values before the first and after the last sample; their level is a weight."""

    def __init__(self, width, **options):
        super().__init__(**options)
        self.width = width

    def build(self, shape):
        self.level = self.add_weight(shape=(), initializer=keras.initializers.Constant(0.3), name="level")

    def call(self, cores):
        paddings = [[0, 0], [self.width, self.width], [0, 0]]
        return tf.pad(cores, paddings, constant_values=tf.convert_to_tensor(self.level))  #!


class JoinedBorder(LearnedBorder):
    def call(self, cores):
        shape = tf.shape(cores)
        border = tf.fill([shape[0], self.width, shape[2]], tf.convert_to_tensor(self.level))
        return tf.concat([border, cores, border], axis=1)


def dating_model(border, depth=3):
    cores = keras.Input((10, 2), name="cores")
    x = cores
    for number in range(depth):
        if border is not None and number == 0:
            x = border(2, name="border")(x)
        x = keras.layers.Conv1D(
            4, 3, activation="swish", kernel_initializer=layers_of_snow, name=f"conv_{number}"
        )(x)
    x = keras.layers.GlobalAveragePooling1D(name="pool")(x)
    return keras.Model(
        cores, keras.layers.Dense(1, kernel_initializer=layers_of_snow, name="age")(x), name="dating"
    )


class Dating:
    def __init__(self, model):
        self.model, self.optimizer = model, keras.optimizers.Adam(0.01)

    def step(self, cores, age):
        weights = self.model.trainable_weights
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.huber(age, self.model(cores, training=True)))
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients(
            [(grad, weight) for grad, weight in zip(grads, weights) if grad is not None]
        )
        return {weight.path: grad for weight, grad in zip(weights, grads)}


def drill(border):
    dating = Dating(dating_model(border))
    cores = tf.reshape(tf.cos(tf.range(120.0) * 0.25), [6, 10, 2])
    ages = tf.linspace([0.5], [3.0], 6)
    for part, age in tf.data.Dataset.from_tensor_slices((cores, ages)).batch(3).repeat(2):
        grads = dating.step(part, age)
    return grads


def broken():
    return drill(LearnedBorder)


def fixed():
    return drill(JoinedBorder)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
