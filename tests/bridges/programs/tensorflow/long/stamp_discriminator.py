"""Real and forged stamps: a discriminator with its loss written out, trained until it is sure of itself."""
import sys

import tensorflow as tf


class Discriminator(tf.Module):
    def __init__(self, size=5, width=4):
        super().__init__(name="discriminator")
        self.first = tf.Variable(tf.reshape(tf.sin(tf.range(float(size * width))), [size, width]), name="first")
        self.last = tf.Variable(tf.ones([width, 1]), name="last")

    def logits(self, stamps):
        return tf.nn.leaky_relu(stamps @ self.first) @ self.last

    def __call__(self, stamps):
        return tf.sigmoid(self.logits(stamps))


def written_loss(discriminator, real, forged):
    sure, fooled = discriminator(real), discriminator(forged)
    return -tf.reduce_mean(tf.math.log(sure + 1e-6)) - tf.reduce_mean(tf.math.log1p(-fooled))  #!


def loss_from_logits(discriminator, real, forged):
    good, bad = discriminator.logits(real), discriminator.logits(forged)
    return tf.reduce_mean(tf.nn.softplus(-good)) + tf.reduce_mean(tf.nn.softplus(bad))


def albums():
    """Each album has brighter forgeries than the last."""
    for album in range(3):
        real = tf.reshape(tf.sin(tf.range(20.0) * 0.3 + album), [4, 5])
        yield real, tf.reshape(tf.abs(tf.cos(tf.range(20.0) * 0.7)), [4, 5]) * 12.0**album


def train(loss_of, rate=0.001):
    discriminator = Discriminator()
    for real, forged in albums():
        with tf.GradientTape() as tape:
            loss = loss_of(discriminator, real, forged)
        grads = tape.gradient(loss, {"first": discriminator.first, "last": discriminator.last})
        discriminator.first.assign_sub(rate * grads["first"])
        discriminator.last.assign_sub(rate * grads["last"])
    return grads


def broken():
    return train(written_loss)


def fixed():
    return train(loss_from_logits)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
