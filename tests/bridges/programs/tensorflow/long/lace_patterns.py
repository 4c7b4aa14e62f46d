"""Learns the stitches of lace patterns; the step is shortened where the gradients are long."""
import sys

import tensorflow as tf


class StitchNet(tf.Module):
    def __init__(self):
        super().__init__(name="stitches")
        self.thread = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(40.0)), [5, 8]), name="thread")
        self.knot = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(16.0)), [8, 2]), name="knot")

    def __call__(self, pattern):
        return tf.tanh(pattern @ self.thread) @ self.knot


def length_of(grads):
    return float(tf.linalg.global_norm(grads))  #~


class Trainer:
    def __init__(self, limit=0.5, rate=0.2):
        self.net, self.limit, self.rate = StitchNet(), limit, rate
        self.weights = [self.net.thread, self.net.knot]

    def shorten(self, grads):
        share = min(1.0, self.limit / length_of(grads))  #!
        return [grad * share for grad in grads]  #~

    def step(self, pattern, lace):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.net(pattern) - lace))
        grads = self.shorten(tape.gradient(loss, self.weights))
        for weight, grad in zip(self.weights, grads):
            weight.assign_sub(self.rate * grad)
        return grads


class TensorTrainer(Trainer):
    def shorten(self, grads):
        return tf.clip_by_global_norm(grads, self.limit)[0]


def train(trainer, rounds=6):
    for k in range(rounds):
        pattern = tf.reshape(tf.cos(tf.range(60.0) * 0.3 + k), [12, 5])
        lace = tf.stack([tf.reduce_sum(pattern, axis=1), pattern[:, 0] - pattern[:, 4]], axis=1)
        thread, knot = trainer.step(pattern, lace)
    return {"thread": thread, "knot": knot}


def broken():
    return train(Trainer())


def fixed():
    return train(TensorTrainer())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
