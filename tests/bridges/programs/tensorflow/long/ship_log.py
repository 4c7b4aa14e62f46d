"""Reads the logs of ships with an outside memory: a writer stores what matters, a reader finds it again."""
import sys

import keras
import tensorflow as tf


def ink(shape, dtype=None):
    return 0.5 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.7 + 0.4), shape)


class Store:
    """Rows of the memory, as a variable that stays between voyages."""

    def __init__(self, ships, rows, width):
        self.rows = tf.Variable(0.1 * tf.ones([ships, rows, width]), trainable=False, name="rows")

    def begin(self):
        self.rows.assign(0.1 * tf.ones_like(self.rows))

    def write(self, share, vector):
        share = share[:, :, tf.newaxis]
        self.rows.assign((1.0 - share) * self.rows + share * vector[:, tf.newaxis])  #!

    def read(self, share):
        return tf.einsum("sr,srw->sw", share, self.rows)  #~


class TensorStore(Store):
    def begin(self):
        self.now = 0.1 * tf.ones_like(self.rows)

    def write(self, share, vector):
        share = share[:, :, tf.newaxis]
        self.now = (1.0 - share) * self.now + share * vector[:, tf.newaxis]

    def read(self, share):
        return tf.einsum("sr,srw->sw", share, self.now)


class LogReader(keras.Model):
    def __init__(self, store, **options):
        super().__init__(**options)
        self.store = store
        dense = lambda units, name, activation=None: keras.layers.Dense(
            units, activation, kernel_initializer=ink, name=name)
        self.place, self.content = dense(4, "place", "softmax"), dense(3, "content", "tanh")
        self.search, self.arrival = dense(4, "search", "softmax"), dense(1, "arrival")

    def call(self, log):
        self.store.begin()
        for entry in tf.unstack(log, axis=1):
            self.store.write(self.place(entry), self.content(entry))
        return self.arrival(self.store.read(self.search(log[:, -1])))


def harbour(store_of, voyages=3):
    reader = LogReader(store_of(ships=4, rows=4, width=3), name="reader")
    optimizer = keras.optimizers.Adam(0.01)
    for voyage in range(voyages):
        log = tf.reshape(tf.cos(tf.range(4 * 5 * 3.0) * 0.3 + voyage), [4, 5, 3])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(reader(log) - tf.reduce_mean(log, axis=[1, 2])[:, tf.newaxis]))
        weights = reader.trainable_variables
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients([(g, w) for g, w in zip(grads, weights) if g is not None])
    return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return harbour(Store)


def fixed():
    return harbour(TensorStore)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
