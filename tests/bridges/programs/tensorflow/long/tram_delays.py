"""Predicts tram delays line by line; a persistent tape is emptied between lines to save memory."""
import sys

import tensorflow as tf


class DelayModel(tf.Module):
    def __init__(self):
        super().__init__(name="delays")
        self.weather = tf.Variable([0.3, -0.2], name="weather")
        self.traffic = tf.Variable([0.5, 0.1, 0.2], name="traffic")
        self.base = tf.Variable(1.0, name="base")

    def shared(self, weather):
        return tf.nn.softplus(tf.linalg.matvec(weather, self.weather))  #~

    def line(self, shared, traffic):
        return self.base + shared * tf.linalg.matvec(traffic, self.traffic)


def timetable():
    weather = tf.reshape(tf.sin(tf.range(8.0)), [4, 2])
    lines = {name: tf.reshape(tf.cos(tf.range(12.0) + k), [4, 3]) for k, name in enumerate(["red", "blue"])}
    return weather, lines, tf.constant([2.0, 3.0, 1.5, 4.0])


def lines_with_resets(model):
    weather, lines, delays = timetable()
    grads = {}
    with tf.GradientTape(persistent=True) as tape:
        shared = model.shared(weather)
        for name, traffic in lines.items():
            tape.reset()  #!
            loss = tf.reduce_mean(tf.square(model.line(shared, traffic) - delays))
            with tape.stop_recording():
                grads[name] = tape.gradient(loss, [model.weather, model.traffic, model.base])
    return grads


def lines_kept(model):
    weather, lines, delays = timetable()
    grads = {}
    with tf.GradientTape(persistent=True) as tape:
        shared = model.shared(weather)
        for name, traffic in lines.items():
            loss = tf.reduce_mean(tf.square(model.line(shared, traffic) - delays))
            with tape.stop_recording():
                grads[name] = tape.gradient(loss, [model.weather, model.traffic, model.base])
    return grads


def last_line(run):
    return dict(zip(["weather", "traffic", "base"], run(DelayModel())["blue"]))


def broken():
    return last_line(lines_with_resets)


def fixed():
    return last_line(lines_kept)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
