"""A tuner for cello strings whose weights are averaged; the loss is taken with the averages."""
import sys

import tensorflow as tf


class Tuner:
    def __init__(self, decay=0.9):
        self.bow = tf.Variable(tf.reshape(0.2 * tf.sin(tf.range(12.0)), [4, 3]), name="bow")
        self.peg = tf.Variable(tf.fill([3], 0.1), name="peg")
        self.average = tf.train.ExponentialMovingAverage(decay)
        self.average.apply([self.bow, self.peg])

    def smooth(self):
        self.average.apply([self.bow, self.peg])  #!
        return self.average.average(self.bow), self.average.average(self.peg)  #~

    def weights(self):
        return self.smooth()

    def pitch(self, spectrum):
        bow, peg = self.weights()
        return tf.tanh(spectrum @ bow) + peg


class RawTuner(Tuner):
    def weights(self):
        self.smooth()
        return self.bow, self.peg


def lesson(tuner, notes=3):
    optimizer = tf.keras.optimizers.SGD(0.05)
    level = tf.Variable(1.0, name="level")
    for note in range(notes):
        spectrum = tf.reshape(tf.cos(tf.range(20.0) * 0.3 + note), [5, 4])
        with tf.GradientTape() as tape:
            miss = level * tuner.pitch(spectrum) - 0.25
            loss = tf.reduce_mean(tf.square(miss))
        weights = [tuner.bow, tuner.peg, level]
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients([(g, w) for g, w in zip(grads, weights) if g is not None])
    return dict(zip(("bow", "peg", "level"), grads))


def broken():
    return lesson(Tuner())


def fixed():
    return lesson(RawTuner())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
