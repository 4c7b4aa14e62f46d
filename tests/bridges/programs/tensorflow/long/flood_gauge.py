"""Predicts the level of a river and how sure the prediction is: a Keras model with two heads and a
Gaussian loss.
"""
import sys

import keras
import tensorflow as tf


def current(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) + 0.6), shape)


class GaugeModel(keras.Model):
    def __init__(self, doubt, **options):
        super().__init__(**options)
        self.rain = keras.layers.Dense(6, "softplus", kernel_initializer=current, name="rain")
        self.level = keras.layers.Dense(1, kernel_initializer=current, name="level")
        start = keras.initializers.Constant(doubt)
        self.doubt = keras.layers.Dense(1, kernel_initializer=current, bias_initializer=start, name="doubt")

    def call(self, hours):
        x = self.rain(hours)
        return self.level(x), self.doubt(x)


class GaussianLoss:
    def __init__(self, lowest=-6.0, highest=6.0):
        self.lowest, self.highest = lowest, highest

    def bounded(self, log_variance):
        return tf.clip_by_value(log_variance, self.lowest, self.highest)  #!

    def __call__(self, seen, level, log_variance):
        log_variance = self.bounded(log_variance)
        surprise = tf.square(seen - level) * tf.exp(-log_variance)
        return 0.5 * tf.reduce_mean(surprise + log_variance)


class Station:
    def __init__(self, doubt):
        self.model = GaugeModel(doubt, name="gauge")
        self.loss = GaussianLoss()
        self.optimizer = keras.optimizers.SGD(0.02, momentum=0.9)

    def measurements(self):
        hour = tf.range(24.0)
        rain = tf.stack([tf.sin(hour * 0.3), tf.cos(hour * 0.2), 0.05 * hour], axis=1)
        level = 2.0 + 0.5 * rain[:, :1] + 0.1 * tf.sin(5.0 * hour)[:, tf.newaxis]
        return tf.data.Dataset.from_tensor_slices((rain, level)).batch(8)

    def train(self, epochs=2):
        for _ in range(epochs):
            for rain, level in self.measurements():
                with tf.GradientTape() as tape:
                    loss = self.loss(level, *self.model(rain, training=True))
                weights = self.model.trainable_weights
                grads = tape.gradient(loss, weights)
                self.optimizer.apply_gradients(zip(grads, weights))
        return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return Station(doubt=9.0).train()


def fixed():
    return Station(doubt=1.0).train()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
