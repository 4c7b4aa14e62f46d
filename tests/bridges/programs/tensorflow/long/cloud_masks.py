"""Finds clouds in satellite images: convolutions with channels last, and a normalisation with channels
first.
"""
import sys

import tensorflow as tf


def channels_first(maps):
    return tf.transpose(maps, [0, 3, 1, 2])


def channels_last(maps):
    return tf.transpose(maps, [0, 2, 3, 1])


class Layer(tf.Module):
    def __init__(self, number, inputs, outputs):
        super().__init__(name=f"layer_{number}")
        wave = tf.sin(tf.range(9.0 * inputs * outputs) * 0.8 + number)
        self.filters = tf.Variable(0.3 * tf.reshape(wave, [3, 3, inputs, outputs]), name=f"filters_{number}")

    def __call__(self, images):
        return tf.nn.conv2d(images, self.filters, 1, "SAME")


class CloudNet(tf.Module):
    """Layers hand channels first on to each other."""

    def __init__(self):
        super().__init__(name="clouds")
        self.layers = [Layer(0, 3, 4), Layer(1, 4, 4), Layer(2, 4, 1)]

    def activate(self, maps):
        return tf.nn.elu(channels_last(channels_first(maps)))  #!

    def __call__(self, images):
        for layer in self.layers[:-1]:
            images = self.activate(layer(images))
        return self.layers[-1](images)


class DirectCloudNet(CloudNet):
    def activate(self, maps):
        return tf.nn.elu(maps)


def scenes(count=4, size=10):
    images = tf.reshape(tf.cos(tf.range(count * size * size * 3.0) * 0.02), [count, size, size, 3])
    clouds = tf.cast(tf.reduce_mean(images, axis=-1, keepdims=True) > 0.1, tf.float32)
    return images, clouds


def train(net, steps=3, rate=0.1):
    images, clouds = scenes()
    sources = {f"filters_{k}": layer.filters for k, layer in enumerate(net.layers)}
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(clouds, net(images)))
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return train(CloudNet())


def fixed():
    return train(DirectCloudNet())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
