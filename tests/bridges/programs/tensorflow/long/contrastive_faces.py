"""A siamese network with a contrastive loss on distances; one pair is identical."""
import sys

import tensorflow as tf


class Encoder(tf.Module):
    def __init__(self):
        super().__init__(name="encoder")
        self.first = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(24.0)), [6, 4]), name="first")
        self.second = tf.Variable(0.6 * tf.reshape(tf.cos(tf.range(8.0)), [4, 2]), name="second")

    def __call__(self, faces):
        return tf.matmul(tf.tanh(tf.matmul(faces, self.first)), self.second)


class Contrastive:
    def __init__(self, margin, floor):
        self.margin, self.floor = margin, floor

    def distance(self, left, right):
        squares = tf.reduce_sum(tf.square(left - right), axis=1)
        return tf.sqrt(squares + self.floor)  #!

    def __call__(self, left, right, same):
        gap = self.distance(left, right)
        pull = same * tf.square(gap)
        push = (1.0 - same) * tf.square(tf.nn.softplus(self.margin - gap))
        return tf.reduce_mean(pull + push)


def pairs():
    left = tf.reshape(tf.cos(tf.range(24.0)), [4, 6])
    right = tf.concat([left[:1], tf.roll(left, 1, axis=0)[1:]], axis=0)
    return left, right, tf.constant([0.0, 1.0, 0.0, 1.0])


def gradients(loss_of):
    encoder = Encoder()
    left, right, same = pairs()
    with tf.GradientTape() as tape:
        loss = loss_of(encoder(left), encoder(right), same)
    return tape.gradient(loss, {"first": encoder.first, "second": encoder.second})


def broken():
    return gradients(Contrastive(margin=1.0, floor=0.0))


def fixed():
    return gradients(Contrastive(margin=1.0, floor=1e-9))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
