"""Levels behind a dam: a recurrent cell of our own is run over the days by a compiled step."""
import sys

import tensorflow as tf

DAYS = 120


class LevelCell(tf.Module):
    def __init__(self, width=4):
        super().__init__(name="cell")
        wave = tf.range(float(width))
        self.rain = tf.Variable(0.3 * tf.sin(wave)[tf.newaxis], name="rain")
        self.hold = tf.Variable(0.2 * tf.cos(wave[:, tf.newaxis] - wave), name="hold")
        self.read = tf.Variable(0.5 * tf.ones([width, 1]), name="read")

    def __call__(self, rain, state):
        return tf.tanh(rain[:, tf.newaxis] @ self.rain + state @ self.hold)


class Dam:
    def __init__(self, cell):
        self.cell = cell

    def levels(self, rain):
        state = tf.zeros([tf.shape(rain)[0], 4])
        for day in range(DAYS):
            state = self.cell(rain[:, day], state)  #!
        return tf.squeeze(state @ self.cell.read, axis=1)

    @tf.function(input_signature=[tf.TensorSpec([None, DAYS]), tf.TensorSpec([None])])
    def step(self, rain, level):
        sources = {"rain": self.cell.rain, "hold": self.cell.hold, "read": self.cell.read}
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.levels(rain) - level))
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(0.01 * grad)
        return grads


class LoopedDam(Dam):
    def levels(self, rain):
        state = tf.zeros([tf.shape(rain)[0], 4])
        for day in tf.range(DAYS):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(state, tf.TensorShape([None, 4]))])
            state = self.cell(rain[:, day], state)
        return tf.squeeze(state @ self.cell.read, axis=1)


def run(dam):
    rain = tf.reshape(tf.abs(tf.sin(tf.range(6.0 * DAYS) * 0.11)), [6, DAYS])
    level = tf.reduce_mean(rain[:, -10:], axis=1)
    for _ in range(3):
        grads = dam.step(rain, level)
    return grads


def broken():
    return run(Dam(LevelCell()))


def fixed():
    return run(LoopedDam(LevelCell()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
