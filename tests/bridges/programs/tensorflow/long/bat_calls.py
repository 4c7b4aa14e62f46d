"""Detects bats in recordings; the layer that makes mel bands builds its filters whenever it is called."""
import math
import sys

import keras
import tensorflow as tf


def to_mel(hertz):
    return 1127.0 * tf.math.log(1.0 + hertz / 700.0)


def triangles(bands, bins, highest):
    """A matrix of overlapping triangles, even on the mel scale."""
    edges = tf.linspace(0.0, to_mel(highest), bands + 2)
    at = to_mel(tf.linspace(0.0, highest, bins))[:, tf.newaxis]
    rising = (at - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - at) / (edges[2:] - edges[1:-1])
    return tf.maximum(0.0, tf.minimum(rising, falling))


class Mel(keras.layers.Layer):
    def __init__(self, bands, **options):
        super().__init__(**options)
        self.bands = bands

    def filters(self, bins):
        return triangles(self.bands, bins, highest=8000.0)  #!

    def call(self, power):
        return tf.math.log(power @ self.filters(power.shape[-1]) + 1e-3)  #~


class BuiltMel(Mel):
    def __init__(self, bands, bins, **options):
        super().__init__(bands, **options)
        self.kept = triangles(bands, bins, highest=8000.0)

    def filters(self, bins):
        return self.kept


class Detector(keras.Model):
    def __init__(self, mel):
        super().__init__(name="detector")
        self.mel = mel
        self.norm = keras.layers.LayerNormalization(name="norm")
        self.call_of = keras.layers.Dense(1, kernel_initializer="ones", name="call_of")

    def call(self, power):
        return self.call_of(self.norm(self.mel(power)))


def listen(mel):
    detector, optimizer = Detector(mel), keras.optimizers.SGD(0.05)
    frames = tf.square(tf.sin(tf.range(40.0 * 65) * math.pi / 31.0))
    frames = tf.reshape(frames, [40, 65])
    heard = tf.cast(tf.reduce_mean(frames, 1, keepdims=True) > 0.5, tf.float32)
    detector(frames[:1])
    for epoch in range(3):
        for start in range(0, 40, 10):
            with tf.GradientTape() as tape:
                logits = detector(frames[start : start + 10])
                loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(heard[start : start + 10], logits))
            grads = tape.gradient(loss, detector.trainable_variables)
            optimizer.apply_gradients(zip(grads, detector.trainable_variables))
    return {"detector/call_of/kernel": grads[2]}


def broken():
    return listen(Mel(20, name="mel"))


def fixed():
    return listen(BuiltMel(20, 65, name="mel"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
