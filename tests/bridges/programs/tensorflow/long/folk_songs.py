"""Continues folk songs with a small attention model; each block adds the places of the notes and hides what is to come."""
import sys

import tensorflow as tf

NOTES, WIDTH = 12, 8


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.57), shape)


def places(notes, width):
    rates = tf.exp(-9.2 * tf.range(0.0, width, 2.0) / width)
    angles = tf.range(float(notes))[:, tf.newaxis] * rates[tf.newaxis]  #!
    return tf.concat([tf.sin(angles), tf.cos(angles)], axis=1)  #~


class Block(tf.keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.query = tf.keras.layers.Dense(WIDTH, use_bias=False, kernel_initializer=wave, name="query")
        self.value = tf.keras.layers.Dense(WIDTH, use_bias=False, kernel_initializer=wave, name="value")

    def table(self):
        return places(NOTES, WIDTH)  #~

    def call(self, song):
        song = song + self.table()  #~
        scores = tf.matmul(self.query(song), song, transpose_b=True) / WIDTH**0.5
        return song + tf.nn.softmax(scores) @ self.value(song)


class KeptBlock(Block):
    def build(self, shape):
        self.kept = places(NOTES, WIDTH)
        super().build(shape)

    def table(self):
        return self.kept


def compose(block, nights=4):
    layer = block(name="verse")
    melody = tf.cos(tf.reshape(tf.range(2.0 * NOTES * WIDTH), [2, NOTES, WIDTH]) * 0.2)
    layer(melody)
    optimizer = tf.keras.optimizers.SGD(0.02)
    for _ in range(nights):
        with tf.GradientTape() as tape:
            heard = layer(melody)
            loss = tf.reduce_mean(tf.square(heard[:, :-1] - melody[:, 1:]))
        grads = tape.gradient(loss, layer.trainable_variables)
        optimizer.apply_gradients(zip(grads, layer.trainable_variables))
    return {variable.path: grad for variable, grad in zip(layer.trainable_variables, grads)}


def broken():
    return compose(Block)


def fixed():
    return compose(KeptBlock)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
