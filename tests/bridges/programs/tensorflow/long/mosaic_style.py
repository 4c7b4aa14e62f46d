"""Style transfer for mosaics: an image is optimised so that its Gram matrix matches a style."""
import sys

import tensorflow as tf


class Features(tf.Module):
    """Two fixed convolutions that stand for a pretrained network."""

    def __init__(self):
        super().__init__(name="features")
        taps = tf.sin(tf.range(36.0))
        self.edges = tf.reshape(taps, [3, 3, 1, 4])

    def __call__(self, image):
        return tf.nn.softplus(tf.nn.conv2d(image[None, :, :, None], self.edges, 1, "SAME"))


def gram(features):
    _, height, width, channels = features.shape
    flat = tf.reshape(features, [-1, channels])
    return tf.matmul(flat, flat, transpose_a=True) / float(height * width)


class StyleTransfer:
    def __init__(self, style, content, weight=0.5):
        self.features = Features()
        self.style_gram = gram(self.features(style))
        self.content_features = tf.stop_gradient(self.features(content))
        self.weight = weight

    def loss(self, image):
        seen = self.features(image)  #~
        style_loss = tf.reduce_mean(tf.square(gram(seen) - self.style_gram))
        content_loss = tf.reduce_mean(tf.square(seen - self.content_features))
        return style_loss + self.weight * content_loss

    def gradient(self, image):
        with tf.GradientTape() as tape:
            loss = self.loss(image)
        return tape.gradient(loss, image)


class WatchingTransfer(StyleTransfer):
    def gradient(self, image):
        with tf.GradientTape() as tape:
            tape.watch(image)
            loss = self.loss(image)
        return tape.gradient(loss, image)


def pattern(step):
    return 0.5 + 0.5 * tf.sin(step * tf.reshape(tf.range(36.0), [6, 6]))


def run(kind):
    transfer = kind(style=pattern(0.7), content=pattern(0.2))
    image = tf.clip_by_value(pattern(0.4) * 0.9 + 0.05, 0.0, 1.0)  #!
    return {"image": transfer.gradient(image)}


def broken():
    return run(StyleTransfer)


def fixed():
    return run(WatchingTransfer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
