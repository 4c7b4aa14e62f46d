"""Frost damage on apple blossoms; each step learns from the hardest third of its orchard rows."""
import sys

import numpy as np
import tensorflow as tf

ROWS, HARD = 24, 8


class FrostModel:
    def __init__(self):
        self.exposure = tf.Variable(0.2 * tf.sin(tf.range(5.0)), name="exposure")
        self.threshold = tf.Variable(0.1, name="threshold")

    def losses(self, nights, damaged):
        logits = tf.linalg.matvec(nights, self.exposure) - self.threshold
        return tf.nn.sigmoid_cross_entropy_with_logits(damaged, logits)


def mined_by_numpy(losses):
    order = np.argsort(-losses.numpy(), kind="stable")  #!
    return tf.reduce_mean(tf.gather(losses, order[:HARD]))


def mined(losses):
    return tf.reduce_mean(tf.math.top_k(losses, HARD).values)


def batches(seasons):
    for season in range(seasons):
        nights = tf.sin(tf.reshape(tf.range(float(ROWS * 5)), [ROWS, 5]) * 0.71 + season)
        yield nights, tf.cast(tf.range(ROWS) % 4 == 1, tf.float32)


def learn(mine, seasons=5):
    model = FrostModel()
    optimizer = tf.keras.optimizers.Adam(0.05)
    sources = [model.exposure, model.threshold]
    for nights, damaged in batches(seasons):
        with tf.GradientTape() as tape:
            loss = mine(model.losses(nights, damaged))  #~
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients(zip(grads, sources))
    return {"exposure": grads[0], "threshold": grads[1]}


def broken():
    return learn(mined_by_numpy)


def fixed():
    return learn(mined)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
