"""Recommends paintings with a Keras model; the trainer chooses by itself which variables a tape has to
follow.
"""
import sys

import keras
import tensorflow as tf


def brush(shape, dtype=None):
    return 0.4 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.9 + 0.1), shape)


class Guide(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.visitor = keras.layers.Dense(4, "tanh", kernel_initializer=brush, name="visitor")
        self.painting = keras.layers.Dense(4, "tanh", kernel_initializer=brush, name="painting")
        self.warmth = keras.layers.Dense(1, kernel_initializer=brush, name="warmth")

    def call(self, inputs):
        visitor, painting = self.visitor(inputs["visitor"]), self.painting(inputs["painting"])
        return self.warmth(visitor * painting)


class SparingTrainer:
    """Tapes follow the weights of one model and nothing else."""

    def __init__(self, model, rate=0.1):
        self.model, self.rate = model, rate
        self.followed = [weight.value for weight in model.trainable_variables]  #~

    def step(self, inputs, stayed):
        with tf.GradientTape(watch_accessed_variables=False) as tape:  #!
            tape.watch(self.followed)  #~
            minutes = self.model(inputs, training=True)
            loss = tf.reduce_mean(keras.losses.huber(stayed, minutes))
        weights = self.model.trainable_variables
        grads = tape.gradient(loss, weights)
        for weight, grad in zip(weights, grads):
            if grad is not None:
                weight.assign(weight - self.rate * grad)
        return {weight.path: grad for weight, grad in zip(weights, grads)}

    def run(self, visits, epochs=2):
        for _ in range(epochs):
            for inputs, stayed in visits:
                grads = self.step(inputs, stayed)
        return grads


def visits():
    inputs = {
        "visitor": tf.reshape(tf.sin(tf.range(24.0) * 0.7), [8, 3]),
        "painting": tf.reshape(tf.cos(tf.range(40.0) * 0.3), [8, 5]),
    }
    stayed = tf.linspace([0.5], [4.0], 8)
    return tf.data.Dataset.from_tensor_slices((inputs, stayed)).batch(4)


def museum(build_first):
    guide = Guide(name="guide")
    if build_first:
        guide(next(iter(visits()))[0])
    return SparingTrainer(guide).run(visits())


def broken():
    return museum(build_first=False)


def fixed():
    return museum(build_first=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
