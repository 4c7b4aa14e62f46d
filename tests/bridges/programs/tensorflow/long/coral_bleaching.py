"""Predicts coral bleaching from satellite tiles: a small convolutional student that also follows an older
teacher.
"""
import sys

import keras
import tensorflow as tf


def ripple(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.4 * tf.sin(1.3 * tf.range(count, dtype=tf.float32) + 0.2), shape)


def conv(filters, name):
    return keras.layers.Conv2D(
        filters, 3, padding="same", activation="tanh", kernel_initializer=ripple, name=name
    )


class Backbone(keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.stem = conv(4, "stem")
        self.body = conv(6, "body")

    def call(self, tiles):
        return self.body(self.stem(tiles))


def channel_statistics(features):
    mean = tf.reduce_mean(features, axis=[1, 2], keepdims=True)
    return mean, tf.math.reduce_std(features, axis=[1, 2], keepdims=True)


def whiten(features, as_reference):
    if as_reference:
        features = tf.stop_gradient(features)  #!
    mean, spread = channel_statistics(features)
    return (features - mean) / (spread + 1e-3)


class ReefNet(keras.Model):
    def __init__(self, as_reference=True, **options):
        super().__init__(**options)
        self.backbone = Backbone(name="backbone")
        self.head = keras.layers.Dense(1, kernel_initializer=ripple, name="head")
        self.as_reference = as_reference

    def describe(self, tiles):
        features = whiten(self.backbone(tiles), self.as_reference)  #~
        return tf.reduce_max(features, axis=[1, 2])

    def call(self, tiles):
        return self.head(self.describe(tiles))


def season():
    tiles = tf.reshape(tf.sin(tf.range(4 * 6 * 6 * 3, dtype=tf.float32) * 0.11), [4, 6, 6, 3])
    bleached = tf.constant([[0.0], [1.0], [1.0], [0.0]])
    return tf.data.Dataset.from_tensor_slices((tiles, bleached)).batch(2)


def train(student, teacher, rate=0.05):
    @tf.function
    def step(tiles, bleached):
        with tf.GradientTape() as tape:
            logits = student(tiles)
            soft = tf.stop_gradient(tf.sigmoid(teacher(tiles)))
            hard_loss = tf.nn.sigmoid_cross_entropy_with_logits(bleached, logits)
            soft_loss = tf.nn.sigmoid_cross_entropy_with_logits(soft, logits)
            loss = tf.reduce_mean(0.7 * hard_loss + 0.3 * soft_loss)
        grads = tape.gradient(loss, student.trainable_variables)
        for weight, grad in zip(student.trainable_variables, grads):
            if grad is not None:
                weight.assign_sub(rate * grad)
        return grads

    for tiles, bleached in season():
        student(tiles), teacher(tiles)
        grads = step(tiles, bleached)
    return {weight.path: grad for weight, grad in zip(student.trainable_variables, grads)}


def broken():
    return train(ReefNet(name="reef"), ReefNet(name="teacher"))


def fixed():
    return train(ReefNet(as_reference=False, name="reef"), ReefNet(name="teacher"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
