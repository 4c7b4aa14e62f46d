"""Classifies satellite tiles; statistics for a report are gathered during the forward pass."""
import sys

import tensorflow as tf


class Statistics:
    def __init__(self):
        self.rows = []

    def add(self, name, tensor):
        self.rows.append((name, float(tf.reduce_mean(tensor)), float(tf.math.reduce_std(tensor))))


class TileModel(tf.Module):
    def __init__(self):
        super().__init__(name="tiles")
        self.stem = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(18.0)), [3, 3, 1, 2]), name="stem")
        self.head = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(6.0)), [2, 3]), name="head")
        self.statistics = Statistics()

    def embed(self, tiles):
        return tf.nn.softplus(tf.nn.conv2d(tiles, self.stem, 1, "SAME"))  #!

    def classify(self, embedded):
        return tf.matmul(tf.reduce_mean(embedded, axis=[1, 2]), self.head)

    def forward(self, tape, tiles):
        with tape.stop_recording():  #~
            embedded = self.embed(tiles)  #~
            self.statistics.add("embedded", embedded)
        return self.classify(embedded)


class ReportingModel(TileModel):
    def forward(self, tape, tiles):
        embedded = self.embed(tiles)
        with tape.stop_recording():
            self.statistics.add("embedded", embedded)
        return self.classify(embedded)


def gradients(model):
    tiles = tf.reshape(tf.cos(tf.range(100.0)), [4, 5, 5, 1])
    cover = tf.constant([0, 2, 1, 0])
    with tf.GradientTape() as tape:
        logits = model.forward(tape, tiles)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(cover, logits)
        loss = tf.reduce_mean(losses)
    return dict(zip(["stem", "head"], tape.gradient(loss, [model.stem, model.head])))


def broken():
    return gradients(TileModel())


def fixed():
    return gradients(ReportingModel())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
