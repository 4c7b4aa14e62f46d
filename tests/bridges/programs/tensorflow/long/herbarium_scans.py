"""Scanned leaves lie as bytes in memory; each step draws a batch and fits a classifier."""
import sys

import keras
import tensorflow as tf

LEAVES, SIDE = 120, 8


def scans():
    count = LEAVES * SIDE * SIDE
    values = (tf.range(count) * 37 + tf.range(count) // 64 * 11) % 256
    return tf.cast(tf.reshape(values, [LEAVES, SIDE, SIDE, 1]), tf.uint8)


def species():
    return tf.range(LEAVES) % 4


def sinus(scale):
    def initial(shape, dtype=None):
        count = 1
        for size in shape:
            count *= size
        return scale * tf.reshape(tf.sin(1.7 * tf.range(count, dtype=tf.float32)), shape)
    return initial


class Herbarium:
    """Holds the archive and hands out batches."""

    def __init__(self, pictures, labels, batch=8):
        self.pictures, self.labels, self.batch = pictures, labels, batch

    def prepared(self):
        light = tf.cast(self.pictures, tf.float32) / 255.0  #!
        return (light - 0.5) / 0.25  #~

    def draw(self, step):
        rows = (tf.range(self.batch) * 13 + step * 7) % LEAVES
        return tf.gather(self.prepared(), rows), tf.gather(self.labels, rows)  #~


class LeanHerbarium(Herbarium):
    def draw(self, step):
        rows = (tf.range(self.batch) * 13 + step * 7) % LEAVES
        light = tf.cast(tf.gather(self.pictures, rows), tf.float32) / 255.0
        return (light - 0.5) / 0.25, tf.gather(self.labels, rows)


def classifier():
    return keras.Sequential([
        keras.Input((SIDE, SIDE, 1)),
        keras.layers.Conv2D(4, 3, activation="relu", kernel_initializer=sinus(0.3), name="edges"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(4, kernel_initializer=sinus(0.5), name="species"),
    ], name="leaves")


def train(archive, steps=6):
    model = classifier()
    optimizer = keras.optimizers.SGD(0.05)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for step in range(steps):
        pictures, labels = archive.draw(step)  #~
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(pictures, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return {weight.path: gradient for weight, gradient in zip(model.trainable_variables, gradients)}


def broken():
    return train(Herbarium(scans(), species()))


def fixed():
    return train(LeanHerbarium(scans(), species()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
