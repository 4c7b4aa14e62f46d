"""Sorts lamps by photographs: a frozen backbone gives features, a small head is trained on them."""
import sys

import keras
import tensorflow as tf


def wave(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return 0.2 * tf.reshape(tf.sin(tf.range(float(count)) * 0.7 + 0.1), shape)


def backbone():
    layers = [
        keras.Input((12, 12, 3)),
        keras.layers.Conv2D(8, 3, activation="relu", kernel_initializer=wave, name="edges"),
        keras.layers.Conv2D(8, 3, activation="relu", kernel_initializer=wave, name="parts"),
        keras.layers.GlobalAveragePooling2D(name="pool"),
    ]
    model = keras.Sequential(layers, name="backbone")
    model.trainable = False
    return model


def photographs():
    images = tf.reshape(tf.cos(tf.range(16.0 * 12 * 12 * 3) * 0.05), [16, 12, 12, 3])
    return images, tf.range(16) % 3


class Sorter:
    def __init__(self):
        self.backbone = backbone()
        self.head = keras.layers.Dense(3, kernel_initializer=wave, name="head")
        self.head.build((None, 8))
        self.optimizer = keras.optimizers.Adam(0.01)

    def learn(self, features, kinds):
        with tf.GradientTape() as tape:
            logits = self.head(features)
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(kinds, logits, from_logits=True))
        grads = tape.gradient(loss, self.head.trainable_variables)
        self.optimizer.apply(grads, self.head.trainable_variables)
        return {v.path: g for v, g in zip(self.head.trainable_variables, grads)}


def train_each_round(epochs=5):
    sorter, (images, kinds) = Sorter(), photographs()
    for _ in range(epochs):
        features = sorter.backbone(images)  #!
        grads = sorter.learn(features, kinds)
    return grads


def train_once(epochs=5):
    sorter, (images, kinds) = Sorter(), photographs()
    features = sorter.backbone(images)
    for _ in range(epochs):
        grads = sorter.learn(features, kinds)
    return grads


def broken():
    return train_each_round()


def fixed():
    return train_once()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
