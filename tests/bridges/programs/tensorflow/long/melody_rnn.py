"""A recurrent cell predicts melodies; its state is carried from bar to bar."""
import sys

import tensorflow as tf


class Cell(tf.Module):
    def __init__(self, units=4):
        super().__init__(name="cell")
        self.input_kernel = tf.Variable(tf.reshape(tf.sin(tf.range(8.0)), [2, units]), name="input_kernel")
        grid = tf.cos(tf.range(float(units * units)))
        self.recurrent_kernel = tf.Variable(0.3 * tf.reshape(grid, [units, units]), name="recurrent_kernel")

    def __call__(self, note, state):
        return tf.tanh(tf.matmul(note, self.input_kernel) + tf.matmul(state, self.recurrent_kernel))


class Melody(tf.Module):
    def __init__(self):
        super().__init__(name="melody")
        self.cell = Cell()
        self.start = tf.Variable([[0.2, -0.4, 0.1, 0.6]], name="start")
        self.readout = tf.Variable(tf.reshape(tf.cos(tf.range(8.0)), [4, 2]), name="readout")

    def carry(self, state):
        return state

    def unroll(self, bars):
        state, outputs = tf.tile(self.start, [bars.shape[1], 1]), []
        for bar in tf.unstack(bars):
            state = self.carry(state)
            for note in tf.split(bar, 2, axis=1):
                state = self.cell(note, state)
            outputs.append(tf.matmul(state, self.readout))
        return tf.stack(outputs)


class TruncatedMelody(Melody):
    def carry(self, state):
        return tf.stop_gradient(state)  #!


class BarMelody(Melody):
    """Truncates after the first bar only."""

    def __init__(self):
        super().__init__()
        self.bars_seen = 0

    def carry(self, state):
        self.bars_seen += 1
        return tf.stop_gradient(state) if self.bars_seen > 2 else state


def gradients(model):
    bars = tf.reshape(tf.sin(tf.range(36.0) / 3.0), [3, 3, 4])
    wanted = tf.roll(bars[:, :, :2], -1, axis=0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model.unroll(bars) - wanted))
    sources = [model.start, model.cell.input_kernel, model.readout]
    return dict(zip(["start", "input_kernel", "readout"], tape.gradient(loss, sources)))


def broken():
    return gradients(TruncatedMelody())


def fixed():
    return gradients(BarMelody())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
