"""Transcribes operas: an Adam by hand in a compiled step, with a rate that falls from step to step."""
import math
import sys

import tensorflow as tf


class Transcriber(tf.Module):
    def __init__(self):
        super().__init__(name="opera")
        self.hear = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(24.0)), [6, 4]), name="hear")
        self.note = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(12.0)), [4, 3]), name="note")

    def __call__(self, bars):
        return tf.nn.gelu(bars @ self.hear) @ self.note


class Adam:
    def __init__(self, variables, first=0.9, second=0.99):
        self.first, self.second = first, second
        self.mean = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.square = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply(self, grads, variables, rate):
        for grad, variable, mean, square in zip(grads, variables, self.mean, self.square):
            mean.assign(self.first * mean + (1.0 - self.first) * grad)
            square.assign(self.second * square + (1.0 - self.second) * tf.square(grad))
            variable.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))


class Rehearsal:
    def __init__(self):
        self.model = Transcriber()
        self.sources = [self.model.hear, self.model.note]
        self.optimizer = Adam(self.sources)

    @tf.function
    def bar_step(self, bars, notes, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(notes, self.model(bars)))
        grads = tape.gradient(loss, self.sources)
        self.optimizer.apply(grads, self.sources, rate)
        return grads

    def rate(self, step, steps):
        return 0.01 * 0.5 * (1.0 + math.cos(math.pi * step / steps))

    def run(self, as_tensor, steps=8):
        bars = tf.reshape(tf.cos(tf.range(30.0) * 0.7), [5, 6])
        for step in range(steps):
            rate = self.rate(step, steps)
            grads = self.bar_step(bars, tf.range(5) % 3, tf.constant(rate) if as_tensor else rate)  #!
        return {"hear": grads[0], "note": grads[1]}


def broken():
    return Rehearsal().run(as_tensor=False)


def fixed():
    return Rehearsal().run(as_tensor=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
