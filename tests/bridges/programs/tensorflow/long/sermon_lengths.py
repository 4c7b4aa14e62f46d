"""Sermons of any length go through one compiled recurrent step, whose signature leaves the length open."""
import sys

import tensorflow as tf


class Listener(tf.Module):
    def __init__(self, words=12, width=6):
        super().__init__(name="listener")
        self.words = tf.Variable(tf.reshape(0.4 * tf.sin(tf.range(float(words * width))), [words, width]), name="words")
        self.keep = tf.Variable(tf.eye(width) * 0.6, name="keep")
        self.judge = tf.Variable(tf.reshape(0.5 * tf.cos(tf.range(float(width))), [width, 1]), name="judge")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.float32)])
    def loss_and_slopes(self, sermon, liked):
        with tf.GradientTape() as tape:
            state = tf.zeros([1, 6])
            for place in tf.range(tf.shape(sermon)[0]):
                word = tf.gather(self.words, sermon[place])
                state = tf.tanh(tf.matmul(state, self.keep) + word)
            loss = tf.square((state @ self.judge)[0, 0] - liked)
        slopes = tape.gradient(loss, [self.words, self.keep, self.judge])
        return loss, [tf.convert_to_tensor(slope) for slope in slopes]


class History:
    def __init__(self, patience=3):
        self.best, self.waited, self.patience = float("inf"), 0, patience

    def stops(self, loss):
        value = float(loss)
        self.waited = 0 if value < self.best else self.waited + 1
        self.best = min(self.best, value)
        return self.waited >= self.patience


def sermons():
    for length in (5, 9, 3, 12):
        yield tf.constant([(3 * place + length) % 12 for place in range(length)]), tf.constant(length / 12.0)


def broken():
    listener, history = Listener(), History()
    for sunday in range(3):
        total = tf.zeros([])
        for sermon, liked in sermons():
            loss, slopes = listener.loss_and_slopes(sermon, liked)
            for part, slope in zip([listener.words, listener.keep, listener.judge], slopes):
                part.assign_sub(0.1 * slope)
            total += loss
        if history.stops(total):
            break
    return dict(zip(["words", "keep", "judge"], slopes))


if __name__ == "__main__":
    print(broken())
