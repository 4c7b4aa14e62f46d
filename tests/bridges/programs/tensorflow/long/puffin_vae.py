"""A small VAE of puffin calls; sampling and the bound are in a custom train_step."""
import sys

import tensorflow as tf


class Encoder(tf.keras.layers.Layer):
    def __init__(self, detached, **kwargs):
        super().__init__(**kwargs)
        self.detached = detached
        self.mean = tf.keras.layers.Dense(2, kernel_initializer="ones", name="mean")
        self.spread = tf.keras.layers.Dense(2, kernel_initializer="zeros", name="spread")

    def call(self, calls):
        mean, log_var = self.mean(calls), self.spread(calls)
        noise = tf.sin(tf.range(tf.cast(tf.size(mean), tf.float32)))
        scale = tf.exp(0.5 * log_var)
        if self.detached:
            scale = tf.stop_gradient(scale)  #!
        return mean + scale * tf.reshape(noise, tf.shape(mean)), mean


class PuffinVae(tf.keras.Model):
    def __init__(self, detached):
        super().__init__(name="puffins")
        self.encoder = Encoder(detached, name="encoder")
        self.decoder = tf.keras.layers.Dense(4, kernel_initializer="ones", name="decoder")
        self.kept = None

    def call(self, calls):
        code, mean = self.encoder(calls)
        return self.decoder(code), mean

    def train_step(self, data):
        with tf.GradientTape() as tape:
            heard, mean = self(data, training=True)
            loss = tf.reduce_mean(tf.square(heard - data)) + 0.01 * tf.reduce_mean(tf.square(mean))
        weights = self.trainable_variables
        grads = tape.gradient(loss, weights)
        self.kept = grads
        self.optimizer.apply_gradients([(g, w) for g, w in zip(grads, weights) if g is not None])
        return {"loss": loss}


def train(detached):
    model = PuffinVae(detached)
    model.compile(optimizer=tf.keras.optimizers.SGD(0.01), run_eagerly=True)
    calls = tf.reshape(tf.cos(tf.range(32.0)), [8, 4])
    model.fit(tf.data.Dataset.from_tensor_slices(calls).batch(4), epochs=2, verbose=0)
    names = ("encoder/mean/kernel", "encoder/mean/bias", "encoder/spread/kernel", "encoder/spread/bias", "decoder/kernel", "decoder/bias")
    return {f"puffins/{name}": grad for name, grad in zip(names, model.kept)}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
