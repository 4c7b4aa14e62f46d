"""Fine-tunes the head of a detector of coins; the backbone keeps what it learned elsewhere."""
import sys

import tensorflow as tf


class Backbone(tf.Module):
    def __init__(self):
        super().__init__(name="backbone")
        wave = tf.sin(tf.range(9.0 * 3 * 6) * 0.5)
        self.stem = tf.Variable(0.3 * tf.reshape(wave, [3, 3, 3, 6]), name="stem")

    def __call__(self, photos):
        maps = tf.nn.elu(tf.nn.conv2d(photos, self.stem, 1, "SAME"))  #!
        return tf.nn.avg_pool2d(maps, 2, 2, "VALID")


class Head(tf.Module):
    def __init__(self, channels=6, coins=4):
        super().__init__(name="head")
        grid = tf.range(float(channels * coins))
        self.mix = tf.Variable(0.3 * tf.reshape(tf.cos(grid), [channels, coins]), name="mix")
        self.offset = tf.Variable(tf.zeros([coins]), name="offset")

    def __call__(self, maps):
        return tf.reduce_mean(maps, axis=[1, 2]) @ self.mix + self.offset


class FineTuning:
    def __init__(self, backbone, head):
        self.backbone, self.head = backbone, head

    def loss(self, photos, coins):
        logits = self.head(self.backbone(photos))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(coins, logits))

    def step(self, photos, coins):
        sources = {"mix": self.head.mix, "offset": self.head.offset}
        with tf.GradientTape() as tape:
            loss = self.loss(photos, coins)
        return sources, tape.gradient(loss, sources)

    def run(self, epochs=3, rate=0.1):
        photos = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(8 * 12 * 12 * 3.0) * 0.03), [8, 12, 12, 3])
        for _ in range(epochs):
            sources, grads = self.step(photos, tf.range(8) % 4)
            for name, source in sources.items():
                source.assign_sub(rate * grads[name])
        return grads


class FrozenFineTuning(FineTuning):
    def step(self, photos, coins):
        sources = {"mix": self.head.mix, "offset": self.head.offset}
        maps = self.backbone(photos)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(coins, self.head(maps)))
        return sources, tape.gradient(loss, sources)


def broken():
    return FineTuning(Backbone(), Head()).run()


def fixed():
    return FrozenFineTuning(Backbone(), Head()).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
