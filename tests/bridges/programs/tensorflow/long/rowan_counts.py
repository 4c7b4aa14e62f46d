"""Berries of rowan trees in plots; field sheets and drone pictures are counted with the same compiled likelihood."""
import sys

import numpy as np
import tensorflow as tf


class Plot:
    def __init__(self, counts, dtype):
        self.counts = np.asarray(counts, dtype=dtype)


class Poisson(tf.Module):
    def __init__(self):
        super().__init__(name="poisson")
        self.rate = tf.Variable(0.5, name="rate")

    @tf.function
    def loss(self, counts):
        counts = tf.cast(counts, tf.float32)
        return tf.reduce_mean(tf.exp(self.rate) - counts * self.rate)


def survey(plots, prepare):
    model = Poisson()
    optimizer = tf.keras.optimizers.Adam(0.1)
    for plot in plots:
        counts = prepare(plot.counts)
        with tf.GradientTape() as tape:
            loss = model.loss(counts)  #!
        grad = tape.gradient(loss, model.rate)
        optimizer.apply_gradients([(grad, model.rate)])
    return {"rate": grad}


def plots():
    sheet = [3, 0, 2, 5]
    return [Plot(sheet, np.int64), Plot(sheet, np.int32), Plot(sheet, np.int64), Plot(sheet, np.uint8)]


def broken():
    return survey(plots(), tf.constant)


def fixed():
    return survey(plots(), lambda counts: tf.constant(counts, dtype=tf.int64))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
