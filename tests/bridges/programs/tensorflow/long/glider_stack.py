"""Polars of a glider, measured with instruments that are calibrated while the tape is open."""
import contextlib
import sys

import tensorflow as tf


class Instruments:
    def __init__(self):
        self.zero = tf.Variable(0.3, name="zero")
        self.gain = tf.Variable([1.1, 0.9], name="gain")

    def calibrate(self, raw):
        return (raw - self.zero) * self.gain  #!


class Polar:
    def __init__(self):
        self.sink = tf.Variable([0.6, -0.02, 0.001], name="sink")

    def __call__(self, speed):
        return self.sink[0] + self.sink[1] * speed + self.sink[2] * tf.square(speed)


def measure(early):
    instruments, polar = Instruments(), Polar()
    raw = tf.stack([tf.linspace(20.0, 40.0, 11), tf.linspace(0.6, 1.4, 11)], axis=1)
    with contextlib.ExitStack() as stack:
        tape = stack.enter_context(tf.GradientTape())
        quiet = stack.enter_context(contextlib.ExitStack())
        quiet.enter_context(tape.stop_recording())
        average = tf.reduce_mean(raw, axis=0)
        if early:
            quiet.close()
        speed, sink = tf.unstack(instruments.calibrate(raw), axis=1)
        quiet.close()
        miss = tf.reduce_mean(tf.square(polar(speed / average[0]) - sink))
    weights = {"zero": instruments.zero, "gain": instruments.gain, "sink": polar.sink}
    return tape.gradient(miss, weights)


def broken():
    return measure(early=False)


def fixed():
    return measure(early=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
