"""Reeds of a harmonium: a tape that watches what it is told to, so that the old reeds stay as they are."""
import sys

import keras
import tensorflow as tf


def reed(phase):
    return lambda shape, dtype=None: 0.5 * tf.reshape(tf.sin(0.8 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class Harmonium(keras.Model):
    def __init__(self):
        super().__init__(name="harmonium")
        self.old = keras.layers.Dense(6, activation="tanh", kernel_initializer=reed(0.2), name="old")
        self.new = keras.layers.Dense(4, activation="tanh", kernel_initializer=reed(1.3), name="new")
        self.voice = keras.layers.Dense(1, kernel_initializer=reed(2.1), name="voice")

    def call(self, air):
        return self.voice(self.new(self.old(air)))

    def tuned(self):
        return [*self.new.trainable_variables, *self.voice.trainable_variables]


class Tuner:
    def __init__(self):
        self.harmonium = Harmonium()
        self.optimizer = keras.optimizers.SGD(0.05)

    def watched(self):
        return self.harmonium.new.trainable_variables

    def tune(self, air):
        pitch = tf.reduce_mean(tf.sin(air), axis=1, keepdims=True)
        with tf.GradientTape(watch_accessed_variables=False) as tape:  #~
            for weight in self.watched():
                tape.watch(weight.value)
            heard = self.harmonium(air)  #!
            loss = tf.reduce_mean(tf.square(heard - pitch))
        weights = self.harmonium.tuned()
        slopes = tape.gradient(loss, weights)
        self.optimizer.apply_gradients([(s, w) for s, w in zip(slopes, weights) if s is not None])
        return {w.path: s for w, s in zip(weights, slopes)}


class WholeTuner(Tuner):
    def watched(self):
        return self.harmonium.tuned()


def evening(tuner, songs=3):
    tuner.harmonium(tf.zeros([1, 3]))
    for song in range(songs):
        found = tuner.tune(tf.reshape(tf.cos(0.4 * tf.range(24.0) + song), [8, 3]))
    return found


def broken():
    return evening(Tuner())


def fixed():
    return evening(WholeTuner())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
