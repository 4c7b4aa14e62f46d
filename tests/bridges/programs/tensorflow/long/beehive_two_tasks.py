"""Two heads on one recording of a hive: queenless or not, and, where a vet was there, how many mites."""
import sys

import keras
import tensorflow as tf

MISSING = -1.0


def seeded(phase, scale=0.5):
    def initial(shape, dtype=None):
        count = 1
        for size in shape:
            count *= size
        return scale * tf.reshape(tf.sin(1.45 * tf.range(count, dtype=tf.float32) + phase), shape)
    return initial


class Hive(keras.Model):
    def __init__(self):
        super().__init__(name="hive")
        self.hum = keras.layers.Dense(8, activation="tanh", kernel_initializer=seeded(0.5), name="hum")
        self.queen = keras.layers.Dense(1, kernel_initializer=seeded(1.8), name="queen")
        self.mites = keras.layers.Dense(1, activation="softplus", kernel_initializer=seeded(2.9), name="mites")

    def call(self, sound):
        hum = self.hum(sound)
        return self.queen(hum)[:, 0], self.mites(hum)[:, 0]


def records(week):
    sound = tf.reshape(tf.sin(0.37 * tf.range(60.0) + week), [12, 5])
    queenless = tf.cast(tf.range(12) % 3 == 0, tf.float32)
    counted = tf.where(tf.range(12) % 4 == 1, 2.0 + sound[:, 0], MISSING)
    return sound, queenless, counted


class Losses:
    def known(self, counted):
        return tf.cast(tf.equal(counted, MISSING), tf.float32)

    def __call__(self, outputs, queenless, counted):
        queen, mites = outputs
        first = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(queenless, queen))
        known = self.known(counted)
        missed = tf.square(tf.maximum(counted, 0.0) - mites) * known * self.visited(counted)  #!
        return first + tf.reduce_sum(missed) / 12.0

    def visited(self, counted):
        return tf.cast(counted >= 0.0, tf.float32)


class RightLosses(Losses):
    def known(self, counted):
        return tf.cast(tf.not_equal(counted, MISSING), tf.float32)


def season(losses, weeks=3):
    model = Hive()
    optimizer = keras.optimizers.Adam(0.01)
    for week in range(weeks):
        sound, queenless, counted = records(float(week))
        with tf.GradientTape() as tape:
            loss = losses(model(sound, training=True), queenless, counted)
        weights = model.trainable_variables
        slopes = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(slopes, weights))
    return {w.path: s for w, s in zip(weights, slopes) if w.name == "kernel"}


def broken():
    return season(Losses())


def fixed():
    return season(RightLosses())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
