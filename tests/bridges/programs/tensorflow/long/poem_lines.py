"""Writes poems line by line: a title gives the first state of a recurrent net, every line goes on from the
last.
"""
import sys

import tensorflow as tf


class TitleEncoder(tf.Module):
    def __init__(self, width):
        super().__init__(name="title")
        self.title = tf.Variable(
            0.5 * tf.reshape(tf.sin(tf.range(6.0 * width)), [6, width]), name="title_kernel"
        )

    def __call__(self, title):
        return tf.tanh(title @ self.title)


class Cell(tf.Module):
    def __init__(self, width, letters):
        super().__init__(name="cell")
        self.letters = tf.Variable(
            0.4 * tf.reshape(tf.cos(tf.range(float(letters * width))), [letters, width]), name="letters"
        )
        self.turn = tf.Variable(
            0.4 * tf.reshape(tf.sin(tf.range(float(width * width))), [width, width]), name="turn"
        )

    def __call__(self, state, letter):
        return tf.tanh(tf.gather(self.letters, letter) + state @ self.turn)


class Poet(tf.Module):
    def __init__(self, width=5, letters=7):
        super().__init__(name="poet")
        self.encoder, self.cell = TitleEncoder(width), Cell(width, letters)
        self.out = tf.Variable(
            0.3 * tf.reshape(tf.sin(tf.range(float(width * letters))), [width, letters]), name="out"
        )

    def line_loss(self, state, line):
        loss = 0.0
        for position in range(line.shape[1] - 1):
            state = self.cell(state, line[:, position])
            logits = state @ self.out
            loss += tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(line[:, position + 1], logits)
            )
        return loss, state


class Reading:
    """Goes through a poem; what was recorded for an earlier line is thrown away."""

    def __init__(self, poet, forget):
        self.poet, self.forget = poet, forget

    def begin_line(self, tape, number):
        if self.forget(number):
            tape.reset()  #!

    def sources(self):
        cell = self.poet.cell
        return {
            "title_kernel": self.poet.encoder.title,
            "letters": cell.letters,
            "turn": cell.turn,
            "out": self.poet.out,
        }

    def poem(self, title, lines):
        with tf.GradientTape() as tape:
            state = self.poet.encoder(title)  #~
            for number, line in enumerate(lines):
                self.begin_line(tape, number)
                loss, state = self.poet.line_loss(state, line)
        return tape.gradient(loss, self.sources())


def train(forget, poems=3, rate=0.1):
    reading = Reading(Poet(), forget)
    for number in range(poems):
        title = tf.reshape(tf.cos(tf.range(12.0) + number), [2, 6])
        lines = [tf.reshape((tf.range(8) * 3 + number + k) % 7, [2, 4]) for k in range(2)]
        grads = reading.poem(title, lines)
        for name, source in reading.sources().items():
            if grads[name] is not None:
                source.assign_sub(rate * tf.convert_to_tensor(grads[name]))
    return grads


def broken():
    return train(forget=lambda number: number > 0)


def fixed():
    return train(forget=lambda number: False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
