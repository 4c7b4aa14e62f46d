"""Heights of gulls' nests: a teacher's targets are held still by a decorator that is on one function too many."""
import functools
import sys

import tensorflow as tf


def still(function):
    @functools.wraps(function)
    def held(*args):
        return tf.stop_gradient(function(*args))  #!

    return held


class Cliff(tf.Module):
    def __init__(self):
        super().__init__(name="cliff")
        self.ledge = tf.Variable([0.2, 0.5], name="ledge")
        self.wind = tf.Variable(0.7, name="wind")
        self.slow_wind = tf.Variable(0.7, trainable=False, name="slow_wind")

    def height(self, days):
        return tf.linalg.matvec(days, self.ledge)

    @still
    def target(self, days):
        return self.slow_wind * tf.reduce_mean(days, axis=1)

    @still
    def drift(self, days):
        return tf.tanh(self.wind * days[:, 0])  #~

    def free_drift(self, days):
        return tf.tanh(self.wind * days[:, 0])


def error(cliff, days, drift):
    moved = cliff.height(days) + drift(cliff, days)
    return tf.reduce_mean(tf.square(moved - cliff.target(days)))


def season(drift):
    cliff = Cliff()
    for week in range(3):
        days = tf.reshape(tf.sin(tf.range(10.0) + week), [5, 2])
        with tf.GradientTape() as tape:
            loss = error(cliff, days, drift)
        wind, ledge = tape.gradient(loss, [cliff.wind, cliff.ledge])
        cliff.ledge.assign_sub(0.1 * ledge)
        cliff.slow_wind.assign(0.9 * cliff.slow_wind + 0.1 * cliff.wind)
    return {"wind": wind, "ledge": ledge}


def broken():
    return season(Cliff.drift)


def fixed():
    return season(Cliff.free_drift)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
