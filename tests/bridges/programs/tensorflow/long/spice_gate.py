"""A mixture of experts for spices: a gate with a temperature chooses who answers."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.8), shape)


class Experts(tf.keras.layers.Layer):
    def __init__(self, temperature, **options):
        super().__init__(**options)
        self.temperature = temperature
        self.gate = tf.keras.layers.Dense(3, use_bias=False, kernel_initializer=wave, name="gate")
        self.experts = tf.keras.layers.Dense(3, kernel_initializer=wave, name="experts")

    def shares(self, spices):
        return tf.nn.softmax(self.gate(spices) / self.temperature)  #!

    def call(self, spices):
        return tf.reduce_sum(self.shares(spices) * self.experts(spices), axis=1)


def taste(layer, meals):
    grads = None
    for meal in range(meals):
        spices = 2.0 + tf.sin(tf.reshape(tf.range(20.0), [4, 5]) * 0.7 + meal)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(layer(spices) - 0.5))
        grads = tape.gradient(loss, layer.trainable_variables)
        for variable, grad in zip(layer.trainable_variables, grads):
            variable.assign_sub(1e-4 * grad)
    return {"mixer/gate/kernel": grads[0], "mixer/experts/kernel": grads[1]}


def broken():
    return taste(Experts(0.001, name="mixer"), 3)


def fixed():
    return taste(Experts(1.0, name="mixer"), 3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
