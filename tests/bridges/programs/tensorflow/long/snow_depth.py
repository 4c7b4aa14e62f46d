"""Snow depth from radar echoes; an old routine in NumPy smooths the profile within the compiled step."""
import sys

import numpy as np
import tensorflow as tf


def running_mean(profile):
    padded = np.pad(profile, ((0, 0), (1, 1)), mode="edge")
    return ((padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3.0).astype(np.float32)


class Radar(tf.Module):
    def __init__(self):
        super().__init__(name="radar")
        self.antenna = tf.Variable(tf.reshape(0.3 * tf.sin(tf.range(30.0) + 1.0), [5, 6]), name="antenna")
        self.density = tf.Variable(0.4, name="density")

    def smooth(self, profile):
        smoothed = tf.numpy_function(running_mean, [profile], tf.float32)  #!
        return tf.ensure_shape(smoothed, profile.shape)

    def depth(self, echo):
        profile = self.smooth(tf.nn.softplus(echo @ self.antenna))
        return tf.reduce_sum(profile, axis=1) / (0.1 + tf.nn.sigmoid(self.density))

    @tf.function
    def gradients(self, echo, measured):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.depth(echo) - measured))
        return tape.gradient(loss, [self.antenna, self.density])


class GraphRadar(Radar):
    def smooth(self, profile):
        padded = tf.concat([profile[:, :1], profile, profile[:, -1:]], axis=1)
        return (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3.0


def survey(radar):
    echo = tf.reshape(tf.cos(tf.range(20.0) * 0.7), [4, 5])
    measured = tf.constant([2.0, 1.5, 3.0, 2.5])
    for _ in range(2):
        antenna, density = radar.gradients(echo, measured)
        radar.density.assign_sub(0.1 * density)
    return {"antenna": antenna, "density": density}


def broken():
    return survey(Radar())


def fixed():
    return survey(GraphRadar())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
