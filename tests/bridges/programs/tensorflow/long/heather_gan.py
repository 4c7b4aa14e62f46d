"""A GAN of heather heights with two tapes: the painter is judged through NumPy."""
import sys

import numpy as np
import tensorflow as tf


def net(units, name, width):
    start = tf.keras.initializers.Constant(0.1)
    return tf.keras.Sequential([tf.keras.Input([width]), tf.keras.layers.Dense(4, "tanh", kernel_initializer=start, name=name + "_wide"),
                                tf.keras.layers.Dense(units, kernel_initializer=start, name=name + "_out")], name=name)


class Heather:
    def __init__(self, as_arrays):
        self.as_arrays = as_arrays
        self.painter, self.judge = net(3, "painter", 2), net(1, "judge", 3)
        self.rules = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.Adam(0.01)

    def paint(self, seeds):
        heights = self.painter(seeds)
        if self.as_arrays:
            return np.clip(heights, -2.0, 2.0)  #!
        return tf.clip_by_value(heights, -2.0, 2.0)

    def step(self, real, seeds):
        with tf.GradientTape() as of_judge, tf.GradientTape() as of_painter:
            fake = self.paint(seeds)
            fooled, seen = self.judge(fake), self.judge(real)
            judged = tf.reduce_mean(tf.nn.softplus(-seen)) + tf.reduce_mean(tf.nn.softplus(fooled))
            painted = tf.reduce_mean(tf.nn.softplus(-fooled))
        painter, judge = self.painter.trainable_variables, self.judge.trainable_variables
        for_painter = of_painter.gradient(painted, painter)
        for_judge = of_judge.gradient(judged, judge)
        self.rules[0].apply_gradients([(g, w) for g, w in zip(for_painter, painter) if g is not None] or [(tf.zeros_like(w), w) for w in painter])
        self.rules[1].apply_gradients(zip(for_judge, judge))
        return for_painter, for_judge


def grow(as_arrays, seasons=2):
    heather = Heather(as_arrays)
    for season in range(seasons):
        real = tf.reshape(tf.sin(tf.range(12.0) + season), [4, 3])
        painter, judge = heather.step(real, tf.reshape(tf.cos(tf.range(8.0)), [4, 2]))
    return {"painter/painter_wide/kernel": painter[0], "painter/painter_out/kernel": painter[2], "judge/judge_out/kernel": judge[2]}


def broken():
    return grow(True)


def fixed():
    return grow(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
