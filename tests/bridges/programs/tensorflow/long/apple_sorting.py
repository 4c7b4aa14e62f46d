"""Sorts apples in mixed precision: a float16 convolutional net, a scaled loss and gradients that are
unscaled.
"""
import sys

import keras
import tensorflow as tf


def skin(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.2 * tf.sin(tf.range(count, dtype=tf.float32) * 0.7 + 0.2), shape)


def sorter():
    half = keras.DTypePolicy("mixed_float16")
    apple = keras.Input((8, 8, 3), name="apple")
    x = keras.layers.Rescaling(1.0 / 255.0, dtype=half)(apple)
    x = keras.layers.Conv2D(4, 3, activation="relu", kernel_initializer=skin, dtype=half, name="skin")(x)
    x = keras.layers.BatchNormalization(dtype=half, name="norm")(x)
    x = keras.layers.MaxPooling2D(dtype=half)(x)
    x = keras.layers.Flatten(dtype=half)(x)
    x = keras.layers.Dense(3, kernel_initializer=skin, dtype=half, name="crate")(x)
    return keras.Model(apple, keras.layers.Activation("linear", dtype="float32")(x), name="sorter")


def belt():
    apples = 127.5 + 127.0 * tf.sin(tf.range(12 * 8 * 8 * 3.0) * 0.013)
    crate = tf.range(12) % 3
    data = tf.data.Dataset.from_tensor_slices((tf.reshape(apples, [12, 8, 8, 3]), crate))
    return data.batch(4).cache().prefetch(2)


class Shift:
    def __init__(self):
        self.model = sorter()
        self.optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=1024.0)
        self.optimizer.build(self.model.trainable_variables)
        self.cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(self, apples, crate):
        with tf.GradientTape() as tape:
            loss = self.cross_entropy(crate, self.model(apples, training=True))
            scaled = self.optimizer.scale_loss(loss)
        grads = tape.gradient(scaled, self.model.trainable_variables)
        self.optimizer.apply(grads, self.model.trainable_variables)
        return loss, grads

    def run(self, epochs=2):
        for _ in range(epochs):
            for apples, crate in belt():
                loss, grads = self.step(apples, crate)
        scale = self.optimizer.dynamic_scale
        names = [weight.path for weight in self.model.trainable_variables]
        return {name: grad / tf.cast(scale, grad.dtype) for name, grad in zip(names, grads)}


def broken():
    return Shift().run()


if __name__ == "__main__":
    print(broken())
