"""A water mill's flow is smoothed by a running value, which the wheel's torque is computed from."""
import sys

import tensorflow as tf


class Smoother(tf.Module):
    def __init__(self, keeps, name=None):
        super().__init__(name=name)
        self.keeps = keeps
        self.level = tf.Variable(0.0, trainable=False, name="level")

    def push(self, value):
        self.level.assign(self.keeps * self.level + (1.0 - self.keeps) * value)  #!
        return self.level.read_value()  #~


class Mill(tf.Module):
    def __init__(self, smoother, name=None):
        super().__init__(name=name)
        self.smoother = smoother
        self.gate = tf.Variable([0.3, 0.5, 0.2], name="gate")
        self.wheel = tf.Variable(1.5, name="wheel")

    def __call__(self, rain):
        flow = tf.reduce_sum(rain * self.gate)
        return self.wheel * tf.sqrt(1.0 + self.smoother.push(flow))


class Window:
    """The same average, over the flows themselves."""

    def __init__(self, keeps):
        self.keeps, self.level = keeps, 0.0

    def push(self, value):
        self.level = self.keeps * self.level + (1.0 - self.keeps) * value
        return self.level


def torque_error(mill, rains):
    return tf.add_n([tf.square(mill(rain) - 2.0) for rain in rains])


def run(smoother):
    mill = Mill(smoother)
    rains = tf.unstack(1.0 + tf.reshape(tf.range(12.0), [4, 3]) / 6.0)
    with tf.GradientTape() as tape:
        error = torque_error(mill, rains)
    gate, wheel = tape.gradient(error, [mill.gate, mill.wheel])
    return {"gate": gate, "wheel": wheel}


def broken():
    return run(Smoother(0.8))


def fixed():
    return run(Window(0.8))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
