"""Predicts which seats of a theatre sell first: an attention layer written by hand, trained by Keras."""
import sys

import keras
import tensorflow as tf


def curtain(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.3 * tf.cos(tf.range(count, dtype=tf.float32) * 0.7 + 0.2), shape)


class SeatAttention(keras.layers.Layer):
    """Seats look at each other; how far apart they are counts by a learned table."""

    def __init__(self, width, **options):
        super().__init__(**options)
        self.width = width

    def build(self, shape):
        seats = shape[1]
        matrix = lambda name, rows: self.add_weight(shape=(rows, self.width), initializer=curtain, name=name)
        self.query, self.key, self.value = (matrix(name, shape[-1]) for name in ("query", "key", "value"))
        self.distance = self.add_weight(shape=(seats, seats), initializer=curtain, name="distance")  #!

    def scores(self, seats):
        query, key = seats @ self.query, seats @ self.key
        return tf.matmul(query, key, transpose_b=True) / self.width ** 0.5

    def call(self, seats):
        return tf.matmul(tf.nn.softmax(self.scores(seats)), seats @ self.value)


class DistanceAttention(SeatAttention):
    def scores(self, seats):
        return super().scores(seats) + self.distance


class Theatre(keras.Model):
    def __init__(self, attention, **options):
        super().__init__(**options)
        self.attention = attention(4, name="attention")
        self.sold = keras.layers.Dense(1, kernel_initializer=curtain, name="sold")
        self.slopes = {}

    def call(self, seats):
        return tf.squeeze(self.sold(self.attention(seats)), axis=-1)

    def train_step(self, batch):
        seats, sold = batch
        with tf.GradientTape() as tape:
            logits = self(seats, training=True)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(sold, logits))
        weights = self.trainable_variables
        grads = tape.gradient(loss, weights)
        self.slopes = {weight.path: grad for weight, grad in zip(weights, grads)}
        self.optimizer.apply([g for g in grads if g is not None],
                             [w for w, g in zip(weights, grads) if g is not None])
        return {"loss": loss}


def season(attention):
    theatre = Theatre(attention, name="theatre")
    theatre.compile(keras.optimizers.SGD(0.1), run_eagerly=True)
    seats = tf.reshape(tf.sin(tf.range(6 * 5 * 3.0) * 0.3), [6, 5, 3])
    sold = tf.cast(tf.reduce_sum(seats, axis=-1) > 0.0, tf.float32)
    theatre.fit(seats, sold, batch_size=3, epochs=2, shuffle=False, verbose=0)
    return theatre.slopes


def broken():
    return season(SeatAttention)


def fixed():
    return season(DistanceAttention)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
