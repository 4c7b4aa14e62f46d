"""An attention layer over the bars of an oratorio adds where each bar stands before it looks at the others."""
import math
import sys

import keras
import tensorflow as tf

BARS, WIDTH = 20, 8


def positions(length, width):
    place = tf.range(length, dtype=tf.float32)[:, tf.newaxis]
    pair = tf.range(width // 2, dtype=tf.float32)
    angle = place * tf.exp(-math.log(10000.0) * 2.0 * pair / width)  #!
    return tf.concat([tf.sin(angle), tf.cos(angle)], axis=-1)  #~


def wave(phase, scale=0.4):
    return lambda shape, dtype=None: tf.reshape(scale * tf.cos(1.3 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class Listening(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.query = keras.layers.Dense(WIDTH, use_bias=False, name="query", kernel_initializer=wave(0.1))
        self.key = keras.layers.Dense(WIDTH, use_bias=False, name="key", kernel_initializer=wave(0.9))
        self.value = keras.layers.Dense(WIDTH, use_bias=False, name="value", kernel_initializer=wave(2.2))

    def where(self, bars):
        return positions(bars.shape[1], bars.shape[2])  #~

    def call(self, bars):
        bars = bars + self.where(bars)  #~
        scores = tf.matmul(self.query(bars), self.key(bars), transpose_b=True) / math.sqrt(WIDTH)
        return tf.matmul(tf.nn.softmax(scores), self.value(bars))


class PlacedListening(Listening):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.places = positions(BARS, WIDTH)

    def where(self, bars):
        return self.places


class Tenor(keras.Model):
    def __init__(self, layer):
        super().__init__(name="tenor")
        self.listen = layer(name="listen")
        self.sing = keras.layers.Dense(1, name="sing", kernel_initializer=wave(1.5))

    def call(self, bars):
        return self.sing(self.listen(bars))[..., 0]


def rehearse(layer, evenings=8):
    model = Tenor(layer)
    optimizer = keras.optimizers.SGD(0.05)
    weights = None
    for evening in range(evenings):
        bars = tf.reshape(tf.sin(0.31 * tf.range(3 * BARS * WIDTH, dtype=tf.float32) + evening), [3, BARS, WIDTH])
        pitch = tf.reduce_mean(bars, axis=-1)
        with tf.GradientTape() as tape:
            missed = tf.reduce_mean(tf.square(model(bars) - pitch))
        weights = model.trainable_variables
        gradients = tape.gradient(missed, weights)
        optimizer.apply_gradients(zip(gradients, weights))
    return {weight.path: gradient for weight, gradient in zip(weights, gradients)}


def broken():
    return rehearse(Listening)


def fixed():
    return rehearse(PlacedListening)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
