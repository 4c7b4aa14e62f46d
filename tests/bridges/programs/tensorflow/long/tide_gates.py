"""Levels behind a tide gate, read by a small recurrent cell with a TensorArray for what it says on the way."""
import sys

import tensorflow as tf


class GateCell(tf.Module):
    def __init__(self, width=4):
        super().__init__("cell")
        grid = tf.reshape(tf.range(float(width * width)), [width, width])
        self.carry = tf.Variable(0.3 * tf.sin(grid), name="carry")
        self.take = tf.Variable(0.5 * tf.cos(tf.range(float(width)))[None, :], name="take")
        self.say = tf.Variable(tf.ones([width, 1]) * 0.4, name="say")

    def __call__(self, level, state):
        state = tf.tanh(level @ self.take + state @ self.carry)
        return state @ self.say, state


class Reader(tf.Module):
    def __init__(self, hours):
        super().__init__("reader")
        self.cell, self.hours = GateCell(), hours

    def steps(self):
        return range(self.hours)

    def read(self, levels):
        said = tf.TensorArray(tf.float32, size=self.hours, element_shape=[2, 1])
        state = tf.zeros([2, 4])
        for hour in self.steps():
            word, state = self.cell(levels[:, hour, :], state)  #!
            said = said.write(hour, word)
        return tf.transpose(said.stack(), [1, 0, 2])

    @tf.function
    def learn(self, levels, wanted):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.read(levels) - wanted))
        return tape.gradient(loss, self.cell.trainable_variables)


class RolledReader(Reader):
    def steps(self):
        return tf.range(self.hours)


def month(kind, hours=60):
    reader = kind(hours)
    levels = tf.reshape(tf.sin(tf.range(2.0 * hours) * 0.26), [2, hours, 1])
    for _ in range(2):
        grads = reader.learn(levels, tf.roll(levels, -1, axis=1))
    return {v.name.split(":")[0]: g for v, g in zip(reader.cell.trainable_variables, grads)}


def broken():
    return month(Reader)


def fixed():
    return month(RolledReader)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
