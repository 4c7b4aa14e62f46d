"""Tracks the pitch of a recorder; frames are smoothed by a SciPy-like filter that is called from a layer."""
import sys

import numpy as np
import tensorflow as tf


def smooth_in_numpy(frames):
    padded = np.pad(frames, ((0, 0), (1, 1)), mode="edge")
    return ((padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3.0).astype(np.float32)


def smooth_in_tensorflow(frames):
    padded = tf.concat([frames[:, :1], frames, frames[:, -1:]], axis=1)
    return (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3.0


class Smoothing(tf.Module):
    def __init__(self, by_numpy):
        super().__init__(name="smoothing")
        self.by_numpy = by_numpy

    def __call__(self, frames):
        if self.by_numpy:
            smooth = tf.numpy_function(smooth_in_numpy, [frames], tf.float32)  #!
            return tf.ensure_shape(smooth, frames.shape)
        return smooth_in_tensorflow(frames)


class Tracker(tf.Module):
    def __init__(self, by_numpy):
        super().__init__(name="tracker")
        self.bank = tf.Variable(tf.reshape(0.3 * tf.sin(tf.range(40.0)), [8, 5]), name="bank")
        self.smoothing = Smoothing(by_numpy)
        self.pitch = tf.Variable(tf.reshape(tf.cos(tf.range(5.0)), [5, 1]), name="pitch")

    def __call__(self, sound):
        bands = tf.nn.softplus(sound @ self.bank)
        return self.smoothing(bands) @ self.pitch


def train(by_numpy, rounds=2):
    tracker = Tracker(by_numpy)
    sound = tf.reshape(tf.sin(tf.range(48.0) * 0.8), [6, 8])
    notes = tf.data.Dataset.from_tensor_slices((sound, tf.linspace(-1.0, 1.0, 6)[:, tf.newaxis])).batch(3)
    for _ in range(rounds):
        for frames, wanted in notes:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.abs(tracker(frames) - wanted))
            grads = tape.gradient(loss, [tracker.bank, tracker.pitch])
            for variable, grad in zip((tracker.bank, tracker.pitch), grads):
                if grad is not None:
                    variable.assign_sub(0.05 * grad)
    return {"bank": grads[0], "pitch": grads[1]}


def broken():
    return train(by_numpy=True)


def fixed():
    return train(by_numpy=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
