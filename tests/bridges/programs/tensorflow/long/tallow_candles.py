"""How long candles burn: attention over draughts, in mixed precision with a loss scale by hand."""
import sys

import tensorflow as tf


class Draughts(tf.keras.Model):
    def __init__(self, masked_by):
        super().__init__(name="draughts")
        self.masked_by = masked_by
        ones = tf.keras.initializers.Constant(0.3)
        self.query = tf.keras.layers.Dense(4, kernel_initializer=ones, name="query")
        self.key = tf.keras.layers.Dense(4, kernel_initializer=ones, name="key")
        self.burn = tf.keras.layers.Dense(1, kernel_initializer=ones, name="burn")

    def call(self, draughts, present):
        scores = tf.matmul(self.query(draughts), self.key(draughts), transpose_b=True)
        scores = scores + (1.0 - present[:, None, :]) * self.masked_by  #!
        weights = tf.nn.softmax(scores)
        return self.burn(tf.reduce_mean(tf.matmul(weights, draughts), 1))


def burn(masked_by, evenings=1):
    model = Draughts(masked_by)
    optimizer = tf.keras.optimizers.Adam(0.01)
    for evening in range(evenings):
        draughts = tf.reshape(tf.sin(tf.range(24.0) + evening), [2, 4, 3])
        length = tf.constant([4, 3])
        present = tf.sequence_mask(length, 4, dtype=tf.float32)
        with tf.GradientTape() as tape:
            hours = model(draughts, present)
            loss = tf.reduce_mean(tf.square(hours - 1.0))
        grads = tape.gradient(loss, model.trainable_variables)
        if evening < evenings - 1:
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
    kernels = [grads[number] for number in (0, 2, 4)]
    return dict(zip(("draughts/query/kernel", "draughts/key/kernel", "draughts/burn/kernel"), kernels))


def broken():
    return burn(float("-inf"))


def fixed():
    return burn(-1e9)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
