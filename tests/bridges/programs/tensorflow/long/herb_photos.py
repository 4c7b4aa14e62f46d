"""Trains a classifier of herb photos; every epoch distorts the photos in another way."""
import sys

import tensorflow as tf


class HerbNet(tf.Module):
    def __init__(self):
        super().__init__(name="herbs")
        wave = tf.sin(tf.range(27.0 * 4) * 0.7)
        self.filters = tf.Variable(0.3 * tf.reshape(wave, [3, 3, 3, 4]), name="filters")
        self.head = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(8.0)), [4, 2]), name="head")

    def __call__(self, photos):
        maps = tf.nn.leaky_relu(tf.nn.conv2d(photos, self.filters, 1, "VALID"))
        return tf.reduce_mean(maps, axis=[1, 2]) @ self.head


class Distortions:
    """Which distortion an epoch uses."""

    def of_epoch(self, epoch):
        shift = tf.constant(0.1 * epoch)
        return lambda photos: tf.clip_by_value(photos + shift, 0.0, 1.0)


class KeptDistortion(Distortions):
    def __init__(self):
        shift = tf.Variable(0.0, trainable=False, name="shift")
        self.shift = shift
        self.brighten = lambda photos: tf.clip_by_value(photos + shift, 0.0, 1.0)

    def of_epoch(self, epoch):
        self.shift.assign(0.1 * epoch)
        return self.brighten


@tf.function
def train_batch(net, photos, herbs, distort, rate):
    with tf.GradientTape() as tape:
        logits = net(distort(photos))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(herbs, logits))
    sources = [net.filters, net.head]
    grads = tape.gradient(loss, sources)
    for source, grad in zip(sources, grads):
        source.assign_sub(rate * grad)
    return grads


def season(distortions, epochs=3):
    net = HerbNet()
    photos = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(4 * 6 * 6 * 3.0) * 0.05), [4, 6, 6, 3])
    data = tf.data.Dataset.from_tensor_slices((photos, tf.range(4) % 2)).batch(2)
    for epoch in range(epochs):
        distort = distortions.of_epoch(epoch)
        for photos, herbs in data:
            grads = train_batch(net, photos, herbs, distort, tf.constant(0.1))  #!
    return {"filters": grads[0], "head": grads[1]}


def broken():
    return season(Distortions())


def fixed():
    return season(KeptDistortion())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
