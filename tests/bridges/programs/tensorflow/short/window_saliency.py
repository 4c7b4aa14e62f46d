"""Which pixels of the middle of a picture make a functional Keras model say what it says?"""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(tf.sin(tf.range(float(count)) * 0.6), shape)


def network():
    pixels = keras.Input([6, 6, 1])
    x = keras.layers.Conv2D(2, 3, activation="tanh", kernel_initializer=ramp)(pixels)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(pixels, keras.layers.Dense(3, kernel_initializer=ramp)(x))


def saliency(of_part):
    model = network()
    pictures = tf.reshape(tf.cos(tf.range(72.0) * 0.2), [2, 6, 6, 1])
    with tf.GradientTape() as tape:
        tape.watch(pictures)
        score = tf.reduce_max(model(pictures), axis=1)
    middle = pictures[:, 2:4, 2:4]  #!
    if of_part:
        return {"middle": tape.gradient(score, middle)}
    return {"middle": tape.gradient(score, pictures)[:, 2:4, 2:4]}


def broken():
    return saliency(of_part=True)


def fixed():
    return saliency(of_part=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
