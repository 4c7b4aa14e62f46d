"""Sorts old letters by their hand; a dashboard follows how sure the model is and what it confuses."""
import sys

import tensorflow as tf


class Dashboard:
    """Running figures; nothing of it is trained."""

    def __init__(self, hands):
        self.hands, self.confusion, self.doubt = hands, tf.zeros([hands, hands]), []

    def observe(self, logits, hands):
        probs = tf.nn.softmax(logits)  #~
        doubt = -tf.reduce_sum(probs * tf.math.log(probs + 1e-9), axis=-1)  #~
        self.doubt.append(tf.reduce_mean(doubt))  #~
        self.confusion += tf.matmul(tf.one_hot(hands, self.hands), probs, transpose_a=True)  #~


class Sorter:
    watched = True

    def __init__(self, hands=4):
        self.strokes = tf.Variable(0.3 * tf.cos(tf.reshape(tf.range(7.0 * hands), [7, hands])), name="strokes")
        self.usual = tf.Variable(tf.zeros([hands]), name="usual")
        self.board = Dashboard(hands)

    def step(self, letters, hands):
        with tf.GradientTape() as tape:
            logits = letters @ self.strokes + self.usual
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(hands, logits))
            if self.watched:
                self.board.observe(logits, hands)  #!
        if not self.watched:
            self.board.observe(logits, hands)
        strokes, usual = tape.gradient(loss, [self.strokes, self.usual])
        self.strokes.assign_sub(0.1 * strokes)
        self.usual.assign_sub(0.1 * usual)
        return {"strokes": strokes, "usual": usual}


class TidySorter(Sorter):
    watched = False


def sort(sorter):
    for bundle in range(4):
        letters = tf.sin(tf.reshape(tf.range(112.0), [16, 7]) * 0.23 + bundle)
        grads = sorter.step(letters, tf.math.floormod(tf.range(16), 4))
    print("doubt", [round(float(value), 3) for value in sorter.board.doubt])
    return grads


def broken():
    return sort(Sorter())


def fixed():
    return sort(TidySorter())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
