"""Dates tapestries: a learned scale turns a thread's place into a row of a table, inside a Keras layer."""
import sys

import keras
import tensorflow as tf


def weft(shape, dtype=None):
    return 0.5 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.4), shape)


class PlaceTable(keras.layers.Layer):
    def __init__(self, rows, width, **options):
        super().__init__(**options)
        self.rows, self.width = rows, width

    def build(self, shape):
        self.scale = self.add_weight(shape=(), initializer=keras.initializers.Constant(0.7), name="scale")
        self.table = self.add_weight(shape=(self.rows, self.width), initializer=weft, name="table")

    def whole(self, wanted):
        return tf.cast(tf.cast(wanted, tf.int32), tf.float32)  #!

    def rows_of(self, places):
        wanted = tf.clip_by_value(places * self.scale, 0.0, self.rows - 1.0)
        near = tf.exp(-tf.square(self.whole(wanted)[..., tf.newaxis] - tf.range(float(self.rows))))
        return tf.matmul(near / tf.reduce_sum(near, axis=-1, keepdims=True), self.table)

    def call(self, places):
        return tf.reduce_mean(self.rows_of(places), axis=1)


class SmoothTable(PlaceTable):
    def whole(self, wanted):
        return wanted


def date(layer):
    places = keras.Input((6,), name="places")
    century = keras.layers.Dense(1, kernel_initializer=weft, name="century")(layer(places))
    model = keras.Model(places, century, name="dates")
    model.compile(keras.optimizers.Adam(0.02), "mae")
    threads = tf.reshape(tf.abs(tf.sin(tf.range(20.0 * 6) * 0.19)) * 9.0, [20, 6])
    woven = 14.0 + tf.reduce_mean(threads, axis=1, keepdims=True) / 4.0
    model.fit(threads, woven, epochs=2, batch_size=10, shuffle=False, verbose=0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(model(threads) - woven))
    grads = tape.gradient(loss, model.trainable_variables)
    return {v.path: g if g is None else tf.convert_to_tensor(g) for v, g in zip(model.trainable_variables, grads)}


def broken():
    return date(PlaceTable(10, 3, name="place"))


def fixed():
    return date(SmoothTable(10, 3, name="place"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
