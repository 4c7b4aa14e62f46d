"""How much does a brook's level depend on where it began? The gradient of a rolled out cell by its first state."""
import sys

import keras
import tensorflow as tf


def pebble(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.6 + 0.3), shape)


class Brook:
    def __init__(self):
        self.cell = keras.layers.GRUCell(4, kernel_initializer=pebble, recurrent_initializer=pebble, name="flow")
        self.read = keras.layers.Dense(1, kernel_initializer=pebble, name="read")

    def begin(self, count):
        return tf.fill([count, 4], 0.1)  #!

    def roll(self, rain, state):
        for hour in range(rain.shape[1]):
            state, _ = self.cell(rain[:, hour : hour + 1], [state])
        return self.read(state)


class Sensitivity:
    def __init__(self, brook, watched):
        self.brook, self.watched = brook, watched

    def of(self, rain):
        first = self.brook.begin(rain.shape[0])  #~
        with tf.GradientTape() as tape:
            if self.watched:
                tape.watch(first)
            level = tf.reduce_mean(self.brook.roll(rain, first))
        asked = {"first": first, "read": self.brook.read.kernel}
        return tape.gradient(level, asked)


def showers():
    return tf.reshape(tf.abs(tf.cos(tf.range(18.0) * 0.9)), [3, 6])


def broken():
    brook = Brook()
    brook.roll(showers(), brook.begin(3))
    return Sensitivity(brook, watched=False).of(showers())


def fixed():
    brook = Brook()
    brook.roll(showers(), brook.begin(3))
    return Sensitivity(brook, watched=True).of(showers())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
