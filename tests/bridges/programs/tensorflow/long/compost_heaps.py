"""Models the heat of compost heaps; only the decay is fitted, the soil is measured."""
import sys

import tensorflow as tf


class Compost(tf.Module):
    def __init__(self, trainable):
        super().__init__(name="compost")
        soil = 0.2 * tf.reshape(tf.sin(tf.range(900.0) * 0.37), [30, 30])
        self.soil = tf.Variable(soil, trainable=trainable, name="soil")
        self.decay = tf.Variable(0.1 * tf.cos(tf.range(30.0)), name="decay")

    def layers(self, heaps):
        return tf.tanh(heaps @ self.soil)  #!

    def heat(self, heaps):
        return tf.linalg.matvec(self.layers(heaps), self.decay)


class Gardener:
    def __init__(self, model):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam(0.05)

    def turn(self, heaps, warm):
        with tf.GradientTape() as tape:
            gap = self.model.heat(heaps) - warm
            loss = tf.reduce_mean(tf.math.log1p(tf.square(gap)))
        grad = tape.gradient(loss, self.model.decay)
        self.optimizer.apply_gradients([(grad, self.model.decay)])
        return {"decay": grad}


def summer(trainable, weeks=4):
    gardener = Gardener(Compost(trainable))
    for week in range(weeks):
        heaps = tf.reshape(tf.cos(tf.range(750.0) * 0.11 + week), [25, 30])
        grads = gardener.turn(heaps, tf.reduce_mean(heaps, axis=1))
    return grads


def broken():
    return summer(True)


def fixed():
    return summer(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
