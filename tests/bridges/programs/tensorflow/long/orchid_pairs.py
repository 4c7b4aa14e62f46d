"""Likeness of orchids from pairs of pictures; a penalty keeps the embeddings of the first pictures small."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.7), shape)


class Embedder(tf.keras.Model):
    def __init__(self):
        super().__init__(name="embedder")
        self.petal = tf.keras.layers.Dense(8, activation="tanh", kernel_initializer=wave, name="petal")
        self.code = tf.keras.layers.Dense(4, kernel_initializer=wave, name="code")

    def call(self, pictures):
        return self.code(self.petal(pictures))


def contrast(model, left, right, same):
    apart = tf.reduce_sum(tf.square(model(left) - model(right)), axis=1)
    return tf.reduce_mean(same * apart + (1.0 - same) * tf.nn.relu(1.0 - apart))


def penalty(model, left):
    return 0.01 * tf.reduce_mean(tf.square(model(left)))  #~


def separate(model, left, right, same):
    return contrast(model, left, right, same) + penalty(model, left)  #!


def shared(model, left, right, same):
    codes = model(left)
    apart = tf.reduce_sum(tf.square(codes - model(right)), axis=1)
    loss = tf.reduce_mean(same * apart + (1.0 - same) * tf.nn.relu(1.0 - apart))
    return loss + 0.01 * tf.reduce_mean(tf.square(codes))


def compare(loss_of, evenings=3):
    model = Embedder()
    optimizer = tf.keras.optimizers.Adam(0.01)
    for evening in range(evenings):
        left = tf.sin(tf.reshape(tf.range(60.0), [10, 6]) * 0.3 + evening)
        right = tf.cos(tf.reshape(tf.range(60.0), [10, 6]) * 0.2)
        same = tf.cast(tf.range(10) % 2, tf.float32)
        with tf.GradientTape() as tape:
            loss = loss_of(model, left, right, same)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {variable.path: grad for variable, grad in zip(model.trainable_variables, grads)}


def broken():
    return compare(separate)


def fixed():
    return compare(shared)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
