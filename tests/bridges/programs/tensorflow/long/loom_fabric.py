"""A variational autoencoder of weaving patterns: a layer adds the divergence from a learned prior, train_step is our own."""
import sys

import keras
import tensorflow as tf


def thread(shape, dtype=None):
    size = 1
    for side in shape:
        size *= side
    return 0.4 * tf.reshape(tf.cos(tf.range(float(size)) * 0.8 + 0.1), shape)


class Divergence(keras.layers.Layer):
    def build(self, shape):
        self.prior = self.add_weight(shape=(3,), initializer="ones", name="prior")

    def call(self, stats):
        mean, log_variance = stats[:, :3], stats[:, 3:]
        gap = tf.square(mean - self.prior) + tf.exp(log_variance) - 1.0 - log_variance
        self.add_loss(0.5 * tf.reduce_mean(tf.reduce_sum(gap, axis=1)))  #~
        return mean + 0.1 * tf.exp(0.5 * log_variance)


class Loom(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.warp = keras.layers.Dense(6, kernel_initializer=thread, name="warp")
        self.divergence = Divergence(name="divergence")
        self.weft = keras.layers.Dense(5, "sigmoid", kernel_initializer=thread, name="weft")
        self.latest = {}

    def call(self, patterns):
        return self.weft(self.divergence(self.warp(patterns)))

    def objective(self, patterns, woven):
        return tf.reduce_mean(tf.square(woven - patterns))  #!

    def train_step(self, patterns):
        with tf.GradientTape() as tape:
            woven = self(patterns, training=True)
            loss = self.objective(patterns, woven)
        weights = self.trainable_variables
        gradients = tape.gradient(loss, weights)
        self.latest.update({weight.path: gradient for weight, gradient in zip(weights, gradients)})
        self.optimizer.apply_gradients([(g, w) for g, w in zip(gradients, weights) if g is not None])
        return {"loss": loss}


class WholeLoom(Loom):
    def objective(self, patterns, woven):
        return tf.reduce_mean(tf.square(woven - patterns)) + tf.add_n(self.losses)


def weave(kind):
    loom = kind(name="loom")
    loom.compile(optimizer=keras.optimizers.Adam(0.01), run_eagerly=True)
    patterns = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(40.0) * 0.7), [8, 5])
    loom.fit(tf.data.Dataset.from_tensor_slices(patterns).batch(4), epochs=2, verbose=0)
    return {name: loom.latest[name] for name in ("loom/divergence/prior", "loom/warp/kernel")}


def broken():
    return weave(Loom)


def fixed():
    return weave(WholeLoom)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
