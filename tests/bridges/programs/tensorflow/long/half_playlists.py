"""Recommends songs to follow a playlist: two towers in half precision over tables in single precision."""
import sys

import keras
import tensorflow as tf

SONGS, WIDTH, LISTS, LENGTH = 5000, 8, 12, 5


class HalfTable(keras.layers.Layer):
    """Rows of a table in single precision, read in half."""

    def __init__(self, rows, width, cast_rows, name):
        super().__init__(name=name)
        self.cast_rows = cast_rows
        start = 0.1 * tf.reshape(tf.sin(tf.range(float(rows * width)) * 0.013), [rows, width])
        self.table = self.add_weight(shape=(rows, width), initializer=lambda shape, dtype=None: start, name="table")

    def call(self, ids):
        if self.cast_rows:
            return tf.cast(tf.gather(self.table, ids), tf.float16)
        return tf.gather(tf.cast(self.table, tf.float16), ids)  #!


class TwoTowers(keras.Model):
    def __init__(self, cast_rows):
        super().__init__(name="towers")
        self.songs = HalfTable(SONGS, WIDTH, cast_rows, name="songs")  #~
        grid = lambda shape, dtype=None: 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1]))), shape)
        self.taste = self.add_weight(shape=(WIDTH, WIDTH), initializer=grid, name="taste")

    def call(self, played, following):
        listener = tf.reduce_mean(self.songs(played), axis=1)  #~
        listener = tf.tanh(tf.matmul(listener, tf.cast(self.taste, tf.float16)))
        candidates = self.songs(following)  #~
        return tf.cast(tf.matmul(listener, candidates, transpose_b=True), tf.float32)


def evening(model):
    played = tf.reshape(tf.range(LISTS * LENGTH) * 37 % SONGS, [LISTS, LENGTH])
    following = tf.range(LISTS) * 211 % SONGS
    optimizer = keras.optimizers.SGD(0.5)
    for _ in range(3):
        with tf.GradientTape() as tape:
            scores = model(played, following)  #~
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.range(LISTS), logits=8.0 * scores)
            )
        weights = [model.songs.table, model.taste]
        grads = tape.gradient(loss, weights)  #~
        optimizer.apply_gradients(zip(grads, weights))
    return {"songs/table": tf.convert_to_tensor(grads[0]), "taste": grads[1]}


def broken():
    return evening(TwoTowers(cast_rows=False))


def fixed():
    return evening(TwoTowers(cast_rows=True))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
