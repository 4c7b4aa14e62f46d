"""Heat conduction in half precision: the loss is an average over a fine grid."""
import sys

import tensorflow as tf


class Plate:
    def __init__(self, cells, dtype):
        self.cells, self.dtype = cells, dtype
        self.positions = tf.cast(tf.linspace(0.0, 1.0, cells), dtype)

    def heat(self, source, width):
        distance = tf.square(self.positions - tf.constant(0.5, self.dtype)) / width
        return source * tf.exp(-distance)


class Fit:
    def __init__(self, plate):
        self.plate = plate
        self.source = tf.Variable(tf.constant(0.002, plate.dtype), name="source")
        self.width = tf.Variable(tf.constant(0.3, plate.dtype), name="width")

    def measured(self):
        return tf.zeros([self.plate.cells], self.plate.dtype)

    def loss(self):
        gap = self.plate.heat(self.source, self.width) - self.measured()
        weights = tf.constant(0.001, self.plate.dtype)
        return tf.reduce_mean(tf.square(gap * weights))  #!

    def step(self):
        with tf.GradientTape() as tape:
            loss = self.loss()
        grads = tape.gradient(loss, {"source": self.source, "width": self.width})
        return grads


def broken():
    return Fit(Plate(500, tf.float16)).step()


def fixed():
    return Fit(Plate(500, tf.float32)).step()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
