"""Finds the rhythm of hearts: a learned filter bank, a median that takes out spikes, and a classifier."""
import sys

import numpy as np
import tensorflow as tf


def median_of_three(signal):
    """The middle one of each value and its neighbours, along the second axis."""
    padded = np.pad(signal, [(0, 0), (1, 1), (0, 0)], mode="edge")
    return np.median(np.stack([padded[:, :-2], padded[:, 1:-1], padded[:, 2:]]), axis=0).astype(np.float32)


class RhythmNet(tf.Module):
    def __init__(self, bands=3):
        super().__init__(name="rhythm")
        wave = tf.sin(tf.range(5.0 * bands) * 0.8)
        self.bank = tf.Variable(0.5 * tf.reshape(wave, [5, 1, bands]), name="bank")
        self.kind = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(2.0 * bands)), [bands, 2]), name="kind")

    def clean(self, bands):
        cleaned = tf.numpy_function(median_of_three, [bands], tf.float32)  #!
        return tf.ensure_shape(cleaned, bands.shape)  #~

    def __call__(self, beats):
        bands = tf.nn.conv1d(beats[..., tf.newaxis], self.bank, 1, "SAME")
        power = tf.reduce_mean(tf.square(self.clean(bands)), axis=1)
        return power @ self.kind


class TensorRhythmNet(RhythmNet):
    def clean(self, bands):
        padded = tf.concat([bands[:, :1], bands, bands[:, -1:]], axis=1)
        window = tf.stack([padded[:, :-2], padded[:, 1:-1], padded[:, 2:]], axis=-1)
        return tf.sort(window, axis=-1)[..., 1]


class Clinic:
    def __init__(self, net):
        self.net = net

    @tf.function
    def step(self, beats, kinds):
        sources = {"bank": self.net.bank, "kind": self.net.kind}
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(kinds, self.net(beats)))
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            if grads[name] is not None:
                source.assign_sub(0.1 * grads[name])
        return grads

    def run(self, epochs=2):
        beats = tf.reshape(tf.sin(tf.range(96.0) * 0.5) ** 3, [8, 12])
        data = tf.data.Dataset.from_tensor_slices((beats, tf.range(8) % 2)).batch(4)
        for _ in range(epochs):
            for batch in data:
                grads = self.step(*batch)
        return grads


def broken():
    return Clinic(RhythmNet()).run()


def fixed():
    return Clinic(TensorRhythmNet()).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
