"""Matches requests with seeds in a vault: an encoder describes every seed once an epoch, a compiled step
compares.
"""
import sys

import keras
import tensorflow as tf


def husk(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 1.3 + 0.2), shape)


def encoder(name, inputs, width=4):
    return keras.Sequential(
        [
            keras.Input((inputs,)),
            keras.layers.Dense(6, "swish", kernel_initializer=husk, name=f"{name}_hidden"),
            keras.layers.Dense(width, kernel_initializer=husk, name=f"{name}_vector"),
        ],
        name=name,
    )


class Vault:
    def __init__(self, once=True):
        self.requests, self.seeds = encoder("request", 5), encoder("seed", 7)
        self.traits = tf.reshape(tf.cos(tf.range(70.0) * 0.4), [10, 7])
        self.once = once
        self.optimizer = keras.optimizers.SGD(0.1)
        self.weights = self.requests.trainable_variables + self.seeds.trainable_variables
        self.optimizer.build(self.weights)

    @tf.function
    def step(self, request, wanted, vectors):
        with tf.GradientTape() as tape:
            seeds = vectors if self.once else self.seeds(self.traits)
            scores = tf.matmul(self.requests(request), seeds, transpose_b=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, scores))
        grads = tape.gradient(loss, self.weights)
        self.optimizer.apply_gradients([(g, w) for g, w in zip(grads, self.weights) if g is not None])
        return grads

    def epoch(self, data):
        vectors = self.seeds(self.traits)  #!
        for request, wanted in data:
            grads = self.step(request, wanted, vectors)  #~
        return {weight.path: grad for weight, grad in zip(self.weights, grads)}


def orders():
    request = tf.reshape(tf.sin(tf.range(60.0) * 0.8), [12, 5])
    return tf.data.Dataset.from_tensor_slices((request, tf.range(12) % 10)).batch(6)


def season(vault, epochs=2):
    for _ in range(epochs):
        grads = vault.epoch(orders())
    return grads


def broken():
    return season(Vault())


def fixed():
    return season(Vault(once=False))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
