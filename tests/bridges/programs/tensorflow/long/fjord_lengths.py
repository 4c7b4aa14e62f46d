"""Series of water levels from a fjord, of different lengths: an LSTM by hand keeps its state past a series' end."""
import sys

import tensorflow as tf


class Cell(tf.Module):
    def __init__(self, width=3):
        super().__init__("cell")
        size = 4 * width
        self.inward = tf.Variable(0.5 * tf.sin(tf.range(float(size)))[None, :], name="inward")
        grid = tf.reshape(tf.range(float(width * size)), [width, size])
        self.around = tf.Variable(0.4 * tf.cos(grid), name="around")

    def __call__(self, x, state):
        hidden, memory = state
        gates = x @ self.inward + hidden @ self.around
        take, keep, give, fresh = tf.split(gates, 4, axis=1)
        memory = tf.sigmoid(keep + 1.0) * memory + tf.sigmoid(take) * tf.tanh(fresh)
        return tf.sigmoid(give) * tf.tanh(memory), memory


class Series(tf.Module):
    def __init__(self, alive):
        super().__init__("series")
        self.cell, self.alive = Cell(), alive
        self.level = tf.Variable([[0.3]], name="level")
        self.out = tf.Variable(tf.ones([3, 1]), name="out")

    def step(self, x, hour, lengths, state):
        new = self.cell(x, state)
        mask = self.alive(hour, lengths)[:, None]
        return tuple(tf.where(mask, n, o) for n, o in zip(new, state))  #!

    def last(self, levels, lengths):
        state = (0.1 * tf.ones([3, 3]), tf.zeros([3, 3]))
        for hour in range(levels.shape[1]):
            state = self.step(levels[:, hour : hour + 1], hour, lengths, state)
        return state[0] @ self.out + self.level


def forecast(alive):
    series = Series(alive)
    levels = tf.reshape(tf.sin(tf.range(15.0) * 0.8), [3, 5])
    lengths = tf.constant([5, 4, 5])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(series.last(levels, lengths) - levels[:, -1:]))
    cell = series.cell
    return tape.gradient(loss, {"inward": cell.inward, "around": cell.around, "level": series.level})


def broken():
    return forecast(lambda hour, lengths: hour > lengths)


def fixed():
    return forecast(lambda hour, lengths: hour < lengths)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
