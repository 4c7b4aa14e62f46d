"""Predicts when a sourdough is ready: a subclassed Keras model, an Adam loop and a learning-rate schedule."""
import sys

import keras
import tensorflow as tf


def leaven(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8 + 0.2), shape)


class Dough(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.mix = keras.layers.Dense(6, "softplus", kernel_initializer=leaven, name="mix")
        self.rest = keras.layers.Dense(4, "tanh", kernel_initializer=leaven, name="rest")
        self.ready = keras.layers.Dense(1, kernel_initializer=leaven, name="ready")

    def call(self, kitchen):
        return self.ready(self.rest(self.mix(kitchen)))


class Baker:
    def __init__(self, model, schedule):
        self.model = model
        self.weights = model.trainable_variables  #~
        self.schedule = schedule

    def step(self, kitchen, hours, number):
        with tf.GradientTape() as tape:
            error = self.model(kitchen, training=True) - hours
            loss = tf.reduce_mean(keras.ops.logaddexp(error, -error))
        grads = tape.gradient(loss, self.weights)  #!
        rate = self.schedule(number)
        for weight, grad in zip(self.weights, grads):
            weight.assign_sub(rate * grad)
        return loss, grads

    def bake(self, days, epochs=2):
        number = 0
        for _ in range(epochs):
            for kitchen, hours in days:
                loss, grads = self.step(kitchen, hours, number)
                number += 1
        return {weight.path: grad for weight, grad in zip(self.weights, grads)}


def kitchens():
    day = tf.range(12.0)
    kitchen = tf.stack([20.0 + 4.0 * tf.sin(day), 0.7 + 0.05 * tf.cos(day), 0.2 + 0.01 * day], axis=1)
    hours = 14.0 - 0.4 * kitchen[:, :1]
    return tf.data.Dataset.from_tensor_slices((kitchen / 20.0, hours)).batch(4)


def season(build):
    keras.backend.clear_session()
    model = Dough(name="dough")
    if build:
        model(tf.zeros([1, 3]))
    return Baker(model, keras.optimizers.schedules.CosineDecay(0.05, 20)).bake(kitchens())


def broken():
    return season(build=False)


def fixed():
    return season(build=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
