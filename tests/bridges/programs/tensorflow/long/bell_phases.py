"""The phases of a bell's partials: a learned window before the transform, compared on the circle."""
import sys

import tensorflow as tf


def strike(samples=16):
    """One blow; the padding after it is silent."""
    time = tf.range(float(samples))
    tone = tf.exp(-0.2 * time) * tf.cos(0.9 * time)
    return tf.stack([tone, tf.cos(0.4 * time), tf.zeros([samples])])


class Analyser(tf.Module):
    def __init__(self, samples=16):
        super().__init__("analyser")
        hann = tf.signal.hann_window(samples, periodic=False)
        self.window = tf.Variable(0.2 + hann, name="window")

    def partials(self, blows):
        return tf.signal.rfft(blows * self.window)[:, 1:6]

    def phases(self, blows):
        return tf.math.angle(self.partials(blows))  #!


class GuardedAnalyser(Analyser):
    def phases(self, blows):
        partials = self.partials(blows)
        silent = tf.abs(partials) < 1e-6
        return tf.math.angle(tf.where(silent, tf.ones_like(partials), partials))


def tune(analyser, rounds=2):
    blows = strike()
    wanted = tf.constant([[0.3, -0.4, 0.9, 0.1, -1.0]])
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            away = 1.0 - tf.cos(analyser.phases(blows) - wanted)
            loss = tf.reduce_mean(away)
        slope = tape.gradient(loss, analyser.window)
        analyser.window.assign_sub(0.01 * slope)
    return {"window": slope}


def broken():
    return tune(Analyser())


def fixed():
    return tune(GuardedAnalyser())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
