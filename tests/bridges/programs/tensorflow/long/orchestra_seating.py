"""A seating plan is learned by a Keras model with its own training step, which gathers gradients over two batches."""
import sys

import keras
import tensorflow as tf


def wave(phase):
    return lambda shape, dtype=None: 0.4 * tf.reshape(tf.cos(1.2 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class Seating(keras.Model):
    def __init__(self, every=2):
        super().__init__(name="seating")
        self.every = every
        self.hall = keras.layers.Dense(8, activation="swish", kernel_initializer=wave(0.1), name="hall")
        self.drop = keras.layers.Dropout(0.0)
        self.seat = keras.layers.Dense(3, kernel_initializer=wave(1.0), name="seat")
        self.seen = keras.metrics.Mean(name="seen")

    def build(self, shape):
        self.hall.build(shape)
        self.seat.build((shape[0], 8))
        self.sums = [tf.Variable(tf.zeros(w.shape), trainable=False) for w in self.hall.weights + self.seat.weights]
        self.batches = tf.Variable(0, trainable=False)
        self.built = True

    def call(self, players, training=False):
        return self.seat(self.drop(self.hall(players), training=training))

    def move(self, weights):
        for kept, weight in zip(self.sums, weights):
            weight.assign(weight - 0.1 * kept)
            kept.assign(tf.zeros_like(kept))
        return True

    def train_step(self, data):
        players, seats = data
        with tf.GradientTape() as tape:
            chosen = self(players, training=True)
            loss = self.compute_loss(players, seats, chosen)
        weights = self.hall.weights + self.seat.weights
        for kept, slope in zip(self.sums, tape.gradient(loss, weights)):
            kept.assign_add(slope / self.every)
        self.batches.assign_add(1)
        tf.cond(self.batches % self.every == 0, lambda: self.move(weights), lambda: False)
        self.seen.update_state(loss)
        return {"seen": self.seen.result()}

    @property
    def metrics(self):
        return [self.seen]


def rehearsal():
    players = tf.reshape(tf.sin(0.9 * tf.range(120.0)), [24, 5])
    return tf.data.Dataset.from_tensor_slices((players, tf.range(24) % 3)).batch(6, drop_remainder=True)


def broken():
    model = Seating()
    model.build((None, 5))
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(rehearsal(), epochs=2, verbose=0)
    players, seats = next(iter(rehearsal()))
    with tf.GradientTape() as tape:
        loss = model.compute_loss(players, seats, model(players))
    weights = model.hall.weights + model.seat.weights
    return {weight.path: slope for weight, slope in zip(weights, tape.gradient(loss, weights))}


if __name__ == "__main__":
    print(broken())
