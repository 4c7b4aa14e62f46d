"""Tells minerals apart by their spectra; a Keras loss with label smoothing, and a focus on rare minerals."""
import sys

import keras
import tensorflow as tf


def facet(shape, dtype=None):
    return 0.5 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.6 + 0.9), shape)


class SmoothedCrossEntropy(keras.losses.Loss):
    def __init__(self, rarity, smoothing=0.05, **options):
        super().__init__(**options)
        self.rarity, self.smoothing = tf.constant(rarity), smoothing

    def log_probability(self, logits):
        return tf.math.log(tf.nn.softmax(logits))  #!

    def call(self, minerals, logits):
        count = len(self.rarity)
        wanted = tf.one_hot(tf.cast(tf.reshape(minerals, [-1]), tf.int32), count)
        wanted = wanted * (1.0 - self.smoothing) + self.smoothing / count
        return -tf.reduce_sum(self.rarity * wanted * self.log_probability(logits), axis=-1)


class LogSoftmaxCrossEntropy(SmoothedCrossEntropy):
    def log_probability(self, logits):
        return tf.nn.log_softmax(logits)


def identifier():
    return keras.Sequential(
        [
            keras.Input((6,)),
            keras.layers.Dense(8, "leaky_relu", kernel_initializer=facet, name="bands"),
            keras.layers.Dense(4, kernel_initializer=facet, name="mineral"),
        ],
        name="minerals",
    )


class Collection:
    """Spectra in counts; the third drawer was measured with a longer exposure."""

    def __init__(self):
        spectra = 1.0 + tf.reshape(tf.sin(tf.range(72.0) * 0.4), [12, 6])
        exposure = tf.where(tf.range(12) >= 8, 2000.0, 1.0)
        self.spectra, self.minerals = spectra * exposure[:, tf.newaxis], tf.range(12) % 4

    def drawers(self):
        return tf.data.Dataset.from_tensor_slices((self.spectra, self.minerals)).batch(4)


def train(criterion, rate=0.01):
    model = identifier()
    losses = []
    for spectra, minerals in Collection().drawers():
        with tf.GradientTape() as tape:
            loss = criterion(minerals, model(spectra, training=True))
        losses.append(loss)
        grads = tape.gradient(loss, model.trainable_weights)
        for weight, grad in zip(model.trainable_weights, grads):
            weight.assign(weight - rate * tf.clip_by_norm(grad, 1.0))
    return {weight.path: grad for weight, grad in zip(model.trainable_weights, grads)}


RARITY = [1.0, 2.0, 1.0, 4.0]


def broken():
    return train(SmoothedCrossEntropy(RARITY))


def fixed():
    return train(LogSoftmaxCrossEntropy(RARITY))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
