"""Segments photographs of reefs; pixels without a label (-1) do not count. A Keras model with its own loss and step."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(0.4 * tf.sin(tf.range(float(count)) * 0.9), shape)


class MaskedCrossEntropy(keras.losses.Loss):
    """The mean over pixels that have a label."""

    def __init__(self, least=0.0):
        super().__init__(reduction="sum", name="masked")
        self.least = least

    def call(self, labels, logits):
        labels = tf.cast(labels, tf.int32)
        known = tf.cast(labels >= 0, logits.dtype)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(labels, 0), logits)
        return tf.reduce_sum(losses * known) / tf.maximum(tf.reduce_sum(known), self.least)  #!


class Segmenter(keras.Model):
    def __init__(self):
        super().__init__(name="segmenter")
        self.filters = keras.layers.Conv2D(3, 3, padding="same", activation="relu", kernel_initializer=ramp, name="filters")
        self.labels = keras.layers.Conv2D(4, 1, kernel_initializer=ramp, name="labels")

    def call(self, photos):
        return self.labels(self.filters(photos))


def reefs():
    photos = tf.reshape(tf.sin(tf.range(6 * 16.0) * 0.17), [6, 4, 4, 1])
    labels = tf.reshape(tf.range(6 * 16) % 5 - 1, [6, 4, 4])
    seen = tf.constant([1, 1, 0, 0, 1, 1])[:, tf.newaxis, tf.newaxis]
    labels = tf.where(seen == 1, labels, -tf.ones_like(labels))
    return tf.data.Dataset.from_tensor_slices((photos, labels)).batch(2)


def train(loss_of, epochs=1):
    model = Segmenter()
    optimizer = keras.optimizers.Adam(0.01)
    for _ in range(epochs):
        for photos, labels in reefs():
            with tf.GradientTape() as tape:
                loss = loss_of(labels, model(photos, training=True))
            grads = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {"segmenter/filters/kernel": grads[0], "segmenter/labels/kernel": grads[2]}


def broken():
    return train(MaskedCrossEntropy())


def fixed():
    return train(MaskedCrossEntropy(least=1.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
