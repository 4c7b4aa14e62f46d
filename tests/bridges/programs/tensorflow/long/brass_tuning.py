"""Tunes brass instruments; the rate of each step follows the loss of that step."""
import sys

import tensorflow as tf


class Horn:
    def __init__(self):
        self.bore = tf.Variable(tf.linspace(0.2, 0.8, 6), name="bore")
        self.bell = tf.Variable(0.7, name="bell")

    def tone(self, breath):
        return self.bell * tf.sin(tf.linalg.matvec(breath, self.bore))


class Tuner:
    """Steps are as long as what is left of the loss."""

    def __init__(self, horn, rate):
        self.horn, self.rate = horn, rate

    def rate_of(self, loss):
        left = loss.numpy()  #!
        return self.rate * left / (1.0 + left)

    def step(self, breath, pitch):
        horn = self.horn
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(horn.tone(breath) - pitch))
        grads = tape.gradient(loss, {"bore": horn.bore, "bell": horn.bell})
        rate = self.rate_of(loss)  #~
        horn.bore.assign_sub(rate * grads["bore"])  #~
        horn.bell.assign_sub(rate * grads["bell"])
        return grads


class SmoothTuner(Tuner):
    def rate_of(self, loss):
        return self.rate * loss / (1.0 + loss)


def rehearse(tuner, bars=5):
    for bar in range(bars):
        breath = tf.reshape(tf.cos(tf.range(54.0) * 0.21 + bar), [9, 6])
        grads = tuner.step(breath, tf.reduce_mean(breath, axis=1))
    return grads


def broken():
    return rehearse(Tuner(Horn(), 0.3))


def fixed():
    return rehearse(SmoothTuner(Horn(), 0.3))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
