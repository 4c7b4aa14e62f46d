"""Routes of couriers by a recurrent cell whose state is carried from one window to the next."""
import sys
from typing import NamedTuple

import tensorflow as tf


class State(NamedTuple):
    place: tf.Tensor
    load: tf.Tensor


class Cell(tf.Module):
    def __init__(self):
        super().__init__()
        self.start = tf.Variable([[0.2, -0.1]], name="start")
        self.turn = tf.Variable([[0.6, 0.1], [-0.2, 0.5]], name="turn")
        self.fill = tf.Variable([0.3, 0.4], name="fill")

    def first(self, batch):
        return State(tf.repeat(self.start, batch, axis=0), tf.zeros([batch, 2]))

    def __call__(self, state, parcels):
        place = tf.tanh(state.place @ self.turn + parcels)
        return State(place, state.load * 0.9 + place * self.fill)


class Tracker:
    def __init__(self, cell, between_windows):
        self.cell, self.between = cell, between_windows

    def loss(self, windows):
        state, total = self.cell.first(windows.shape[0]), 0.0
        for number in range(windows.shape[1]):
            state = tf.nest.map_structure(self.between, state)  #!
            for parcels in tf.unstack(windows[:, number], axis=1):
                state = self.cell(state, parcels)
            total += tf.reduce_mean(tf.square(state.load - 0.5))
        return total / windows.shape[1]


def train(between):
    cell = Cell()
    windows = tf.reshape(tf.sin(tf.range(48.0)), [2, 3, 4, 2])
    with tf.GradientTape() as tape:
        loss = Tracker(cell, between).loss(windows)
    names = ("start", "turn", "fill")
    return dict(zip(names, tape.gradient(loss, [getattr(cell, name) for name in names])))


def broken():
    return train(tf.stop_gradient)


def fixed():
    return train(tf.identity)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
