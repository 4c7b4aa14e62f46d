"""Predicts tides by a recurrence over forty hours inside a tf.function."""
import sys

import tensorflow as tf


class TideCell(tf.Module):
    def __init__(self):
        super().__init__(name="tides")
        self.state = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(16.0)), [4, 4]), name="state")
        self.moon = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(8.0)), [2, 4]), name="moon")

    def hour(self, level, pull):
        return tf.tanh(level @ self.state + pull @ self.moon)  #!


class Forecast(tf.Module):
    def __init__(self):
        super().__init__(name="forecast")
        self.cell = TideCell()

    def roll(self, pulls):
        level = tf.zeros([pulls.shape[1], 4])
        for hour in range(pulls.shape[0]):  #~
            level = self.cell.hour(level, pulls[hour])  #~
        return level

    @tf.function
    def gradients(self, pulls, levels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.roll(pulls) - levels))
        return tape.gradient(loss, {"state": self.cell.state, "moon": self.cell.moon})


class LoopedForecast(Forecast):
    def roll(self, pulls):
        level = tf.zeros([pulls.shape[1], 4])
        for hour in tf.range(pulls.shape[0]):
            level = self.cell.hour(level, pulls[hour])
        return level


def days(forecast, count=3):
    for day in range(count):
        pulls = tf.reshape(tf.sin(tf.range(40.0 * 3 * 2) * 0.2 + day), [40, 3, 2])
        grads = forecast.gradients(pulls, 0.2 * tf.ones([3, 4]))
        forecast.cell.state.assign_sub(0.1 * grads["state"])
        forecast.cell.moon.assign_sub(0.1 * grads["moon"])
    return grads


def broken():
    return days(Forecast())


def fixed():
    return days(LoopedForecast())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
