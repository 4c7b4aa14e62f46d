"""An autoencoder of harp sounds whose loss is put together after the forward pass."""
import sys

import keras
import tensorflow as tf


def plucked(phase):
    return lambda shape, dtype=None: 0.5 * tf.reshape(tf.sin(0.9 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class HarpCoder(keras.Model):
    def __init__(self):
        super().__init__(name="harp")
        self.narrow = keras.layers.Dense(2, activation="tanh", kernel_initializer=plucked(0.6), name="narrow")
        self.widen = keras.layers.Dense(5, kernel_initializer=plucked(1.5), name="widen")

    def call(self, sound):
        return self.widen(self.narrow(sound))


def distance(sound, again):
    return tf.reduce_mean(tf.abs(sound - again))


class Strings:
    def __init__(self):
        self.coder = HarpCoder()
        self.optimizer = keras.optimizers.Adam(0.01)

    def slopes(self, sound):
        with tf.GradientTape() as tape:
            again = self.coder(sound, training=True)
        loss = distance(sound, again)  #!
        return tape.gradient(loss, self.coder.trainable_variables)

    def pluck(self, sound):
        slopes = self.slopes(sound)
        self.optimizer.apply_gradients(zip(slopes, self.coder.trainable_variables))
        return {weight.path: slope for weight, slope in zip(self.coder.trainable_variables, slopes)}


class WithinStrings(Strings):
    def slopes(self, sound):
        with tf.GradientTape() as tape:
            again = self.coder(sound, training=True)
            loss = distance(sound, again)
        return tape.gradient(loss, self.coder.trainable_variables)


def play(strings, evenings=2):
    for evening in range(evenings):
        found = strings.pluck(tf.reshape(tf.sin(0.8 * tf.range(40.0) + evening), [8, 5]))
    return found


def broken():
    return play(Strings())


def fixed():
    return play(WithinStrings())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
