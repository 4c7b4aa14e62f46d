"""Registers of an organ attend to each other in half precision; the softmax is written by hand."""
import sys

import tensorflow as tf


def share(scores):
    powers = tf.exp(scores)  #!
    return powers / tf.reduce_sum(powers, axis=-1, keepdims=True)


def shifted_share(scores):
    return share(scores - tf.reduce_max(scores, axis=-1, keepdims=True))


class Registers(tf.Module):
    """Weights stay in float32; what is computed from them is cast."""

    def __init__(self, softmax, compute=tf.float16):
        super().__init__("registers")
        grid = tf.reshape(tf.range(32.0), [4, 8])
        self.softmax, self.compute = softmax, compute
        self.ask = tf.Variable(tf.sin(grid), name="ask")
        self.offer = tf.Variable(tf.sin(grid + 0.4), name="offer")
        self.voice = tf.Variable(tf.cos(grid), name="voice")

    def cast(self, variable):
        return tf.cast(variable, self.compute)

    def __call__(self, pipes):
        pipes = tf.cast(pipes, self.compute)
        q, k, v = (pipes @ self.cast(w) for w in (self.ask, self.offer, self.voice))
        return tf.cast(self.softmax(q @ tf.transpose(k)) @ v, tf.float32)


class ScaledLoss:
    def __init__(self, scale=128.0):
        self.scale = scale

    def gradients(self, model, pipes, heard):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(pipes) - heard))
            scaled = loss * self.scale
        grads = tape.gradient(scaled, [model.ask, model.voice])
        return {"ask": grads[0] / self.scale, "voice": grads[1] / self.scale}


def play(softmax):
    pipes = 1.4 * tf.reshape(tf.sin(tf.range(20.0) * 0.6), [5, 4])
    heard = tf.reshape(tf.cos(tf.range(40.0) * 0.2), [5, 8])
    return ScaledLoss().gradients(Registers(softmax), pipes, heard)


def broken():
    return play(share)


def fixed():
    return play(shifted_share)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
