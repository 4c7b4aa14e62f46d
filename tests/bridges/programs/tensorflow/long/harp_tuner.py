"""Tunes a harp: stiffness and length of each string; the gradient is taken where the tape still records."""
import sys

import tensorflow as tf


class Strings(tf.Module):
    def __init__(self, count):
        super().__init__(name="strings")
        self.stiff = tf.Variable(tf.linspace(1.0, 2.0, count), name="stiff")
        self.length = tf.Variable(tf.linspace(0.6, 1.4, count), name="length")

    def overtones(self, highest):
        number = tf.range(1.0, highest + 1.0)
        base = tf.sqrt(self.stiff) / (2.0 * self.length)
        return base[:, tf.newaxis] * number * tf.sqrt(1.0 + 0.001 * number * number)


class Tuner:
    def __init__(self, strings, wanted):
        self.strings, self.wanted = strings, wanted
        self.optimizer = tf.keras.optimizers.Adam(0.01)

    def beats(self):
        """How far overtones are from those that are wanted."""
        sounding = self.strings.overtones(6.0)
        return tf.reduce_mean(1.0 - tf.exp(-tf.square(sounding - self.wanted)))

    def turn(self):
        sources = [self.strings.stiff, self.strings.length]
        with tf.GradientTape(persistent=True) as tape:
            loss = self.beats()
            grads = tape.gradient(loss, sources)  #!
        self.optimizer.apply_gradients(zip(grads, sources))
        return dict(zip(("stiff", "length"), grads))


class QuickTuner(Tuner):
    def turn(self):
        sources = [self.strings.stiff, self.strings.length]
        with tf.GradientTape() as tape:
            loss = self.beats()
        grads = tape.gradient(loss, sources)
        self.optimizer.apply_gradients(zip(grads, sources))
        return dict(zip(("stiff", "length"), grads))


def evening(kind):
    wanted = tf.linspace(0.8, 1.1, 7)[:, tf.newaxis] * tf.range(1.0, 7.0)
    tuner = kind(Strings(7), wanted)
    for _ in range(4):
        grads = tuner.turn()
    return grads


def broken():
    return evening(Tuner)


def fixed():
    return evening(QuickTuner)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
