"""Aligns two views of fog by a learned shift: pixels are taken from around where the shift points to."""
import sys

import tensorflow as tf


class Aligner(tf.keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.shift = self.add_weight(shape=(), initializer=tf.keras.initializers.Constant(1.3), name="shift")
        self.gain = self.add_weight(shape=(), initializer="ones", name="gain")

    def snap(self, places):
        return tf.cast(tf.cast(places, tf.int32), tf.float32)  #!

    def sample(self, row, places):
        near = tf.abs(tf.range(float(row.shape[0]))[tf.newaxis] - self.snap(places)[:, tf.newaxis])
        return tf.linalg.matvec(tf.nn.relu(1.0 - near), row)

    def call(self, row):
        places = tf.range(float(row.shape[0])) + self.shift
        places = tf.clip_by_value(places, 0.0, row.shape[0] - 1.001)
        return self.gain * self.sample(row, places)


class SmoothAligner(Aligner):
    def snap(self, places):
        return places


def difference(aligner, view, other):
    usable = tf.cast(tf.abs(other) < 0.99, tf.float32)
    return tf.reduce_sum(usable * tf.square(aligner(view) - other)) / tf.reduce_sum(usable)


def align(kind, pairs=3):
    aligner = kind(name="aligner")
    optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function
    def step(view, other):
        with tf.GradientTape() as tape:
            loss = difference(aligner, view, other)
        grads = tape.gradient(loss, {"aligner/shift": aligner.shift, "aligner/gain": aligner.gain})
        optimizer.apply_gradients([(grads["aligner/gain"], aligner.gain)])
        return grads

    for pair in range(pairs):
        x = tf.range(16.0) * 0.35 + pair
        grads = step(tf.sin(x), tf.sin(x + 0.7))
    return grads


def broken():
    return align(Aligner)


def fixed():
    return align(SmoothAligner)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
