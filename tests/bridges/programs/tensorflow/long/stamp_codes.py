"""Finds stamps by binary codes: an encoder gives each image a code of +1 and -1, near images share a code."""
import sys

import tensorflow as tf


class StampEncoder(tf.Module):
    def __init__(self, binarise, bits=6):
        super().__init__(name="stamps")
        wave = tf.sin(tf.range(27.0 * 4) * 0.9)
        self.filters = tf.Variable(0.4 * tf.reshape(wave, [3, 3, 3, 4]), name="filters")
        self.planes = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(4.0 * bits)), [4, bits]), name="planes")
        self.binarise = binarise

    def features(self, images):
        maps = tf.nn.softplus(tf.nn.conv2d(images, self.filters, 2, "SAME"))
        return tf.reduce_mean(maps, axis=[1, 2])

    def __call__(self, images):
        features = self.features(images)
        return self.binarise((features - tf.reduce_mean(features, axis=0)) @ self.planes)


def hard_code(scores):
    return tf.sign(scores)  #!


def soft_code(scores):
    return tf.tanh(3.0 * scores)


class PairLoss(tf.Module):
    """Codes of a pair agree if it shows one stamp, and each bit is weighed."""

    def __init__(self, bits=6):
        super().__init__(name="pairs")
        self.bits = tf.Variable(tf.ones([bits]) / bits, name="bits")

    def __call__(self, one, other, same):
        agreement = tf.reduce_sum(self.bits * one * other, axis=1)
        return tf.reduce_mean(tf.square(agreement - (2.0 * same - 1.0)))


@tf.function
def train_step(encoder, criterion, one, other, same, rate):
    sources = {"filters": encoder.filters, "planes": encoder.planes, "bits": criterion.bits}
    with tf.GradientTape() as tape:
        loss = criterion(encoder(one), encoder(other), same)
    grads = tape.gradient(loss, sources)
    for name, source in sources.items():
        source.assign_sub(rate * grads[name])
    return grads


def album(binarise, rounds=3):
    encoder, criterion = StampEncoder(binarise), PairLoss()
    images = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(8 * 6 * 6 * 3.0) * 0.31), [8, 6, 6, 3])
    pairs = tf.data.Dataset.from_tensor_slices(
        (images, tf.roll(images, 1, axis=0), tf.cast(tf.range(8) % 2, tf.float32))
    )
    for _ in range(rounds):
        for one, other, same in pairs.batch(4):
            grads = train_step(encoder, criterion, one, other, same, tf.constant(0.05))
    return grads


def broken():
    return album(hard_code)


def fixed():
    return album(soft_code)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
