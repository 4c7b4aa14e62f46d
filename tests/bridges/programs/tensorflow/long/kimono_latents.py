"""Finds the code of a kimono pattern in a finished generator: the code alone is fitted, by momentum, to a photo."""
import sys

import keras
import tensorflow as tf

CODE, SIDE = 6, 8


def weave(shape, dtype=None):
    count = 1
    for side in shape:
        count *= side
    return 0.25 * tf.reshape(tf.sin(tf.range(float(count)) * 0.53 + 0.2), shape)


def generator():
    return keras.Sequential(
        [
            keras.layers.Dense(24, "tanh", kernel_initializer=weave, name="thread"),
            keras.layers.Dense(4 * 4 * 6, "tanh", kernel_initializer=weave, name="cloth"),
            keras.layers.Reshape((4, 4, 6)),
            keras.layers.Conv2DTranspose(4, 3, 2, "same", activation="tanh", kernel_initializer=weave, name="widen"),
            keras.layers.Conv2D(3, 3, padding="same", activation="sigmoid", kernel_initializer=weave, name="dye"),
        ],
        name="generator",
    )


class Inversion:
    def __init__(self, network, photo, watch_all):
        self.network, self.photo, self.watch_all = network, photo, watch_all
        self.code = tf.Variable(0.1 * tf.cos(tf.range(float(CODE)))[None, :], name="code")
        self.speed = tf.zeros_like(self.code)

    def distance(self, picture):
        pixels = tf.reduce_mean(tf.square(picture - self.photo))
        coarse = tf.nn.avg_pool2d(picture, 2, 2, "SAME") - tf.nn.avg_pool2d(self.photo, 2, 2, "SAME")
        return pixels + 0.5 * tf.reduce_mean(tf.square(coarse))

    def step(self, rate=0.2):
        with tf.GradientTape(watch_accessed_variables=self.watch_all) as tape:  #~
            tape.watch(self.code)
            picture = self.network(self.code, training=False)  #!
            loss = self.distance(picture) + 1e-3 * tf.reduce_sum(tf.square(self.code))
        slope = tape.gradient(loss, self.code)  #~
        self.speed = 0.9 * self.speed + slope
        self.code.assign_sub(rate * self.speed)
        return slope


def invert(watch_all):
    network = generator()  #~
    photo = 0.5 + 0.4 * tf.reshape(tf.sin(tf.range(float(SIDE * SIDE * 3)) * 0.9), [1, SIDE, SIDE, 3])
    network(tf.zeros([1, CODE]))
    search = Inversion(network, photo, watch_all)
    for _ in range(5):
        slope = search.step()
    return {"code": slope}


def broken():
    return invert(watch_all=True)


def fixed():
    return invert(watch_all=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
