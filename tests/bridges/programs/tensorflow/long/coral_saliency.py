"""Where does the coral classifier look? The gradient of its best class by the image."""
import sys

import keras
import numpy as np
import tensorflow as tf


def reef_filter(shape, dtype=None):
    return tf.reshape(0.4 * tf.sin(tf.range(float(np.prod(shape))) * 0.6), shape)


def classifier():
    model = keras.Sequential(name="reef")
    model.add(keras.Input((8, 8, 3)))
    model.add(keras.layers.Conv2D(4, 3, activation="tanh", kernel_initializer=reef_filter, name="polyps"))
    model.add(keras.layers.GlobalAveragePooling2D(name="pool"))
    model.add(keras.layers.Dense(5, kernel_initializer=reef_filter, name="species"))
    return model


class Saliency:
    def __init__(self, model):
        self.model = model

    def prepare(self, photograph):
        image = (photograph.astype("float32") - 127.5) / 127.5
        return image[np.newaxis]

    def scores(self, image, pixels):
        return self.model(image, training=False)

    def explain(self, photograph):
        image = self.prepare(photograph)
        pixels = tf.convert_to_tensor(image)  #!
        with tf.GradientTape() as tape:
            tape.watch(pixels)
            scores = self.scores(image, pixels)  #~
            best = tf.reduce_max(scores, axis=1)
        return {"pixels": tape.gradient(best, pixels)}


class PixelSaliency(Saliency):
    def scores(self, image, pixels):
        return self.model(pixels, training=False)


def photograph():
    rows, columns, channels = np.meshgrid(np.arange(8), np.arange(8), np.arange(3), indexing="ij")
    return (31 * rows + 17 * columns + 53 * channels) % 256


def broken():
    return Saliency(classifier()).explain(photograph())


def fixed():
    return PixelSaliency(classifier()).explain(photograph())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
