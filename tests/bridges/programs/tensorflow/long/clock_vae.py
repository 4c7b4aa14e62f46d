"""Draws clock faces by a variational autoencoder with a tower of two layers below mean and spread."""
import sys

import tensorflow as tf

layers = tf.keras.layers


def sway(shape, dtype=None):
    return 0.25 * tf.reshape(tf.sin(0.5 + tf.range(float(shape[0] * shape[1])) * 0.47), shape)


class Encoder(tf.keras.layers.Layer):
    def __init__(self, codes=3):
        super().__init__(name="encoder")
        self.hands = layers.Dense(10, activation="tanh", kernel_initializer=sway, name="hands")
        self.dial = layers.Dense(8, activation="tanh", kernel_initializer=sway, name="dial")
        self.to_mean = layers.Dense(codes, kernel_initializer=sway, name="to_mean")
        self.to_spread = layers.Dense(codes, kernel_initializer=sway, name="to_spread")

    def tower(self, faces):
        return self.dial(self.hands(faces))

    def mean(self, faces):
        return self.to_mean(self.tower(faces))

    def spread(self, faces):
        return self.to_spread(self.tower(faces))  #!

    def call(self, faces):
        return self.mean(faces), self.spread(faces)  #~


class OneTower(Encoder):
    def call(self, faces):
        below = self.tower(faces)
        return self.to_mean(below), self.to_spread(below)


def draw(encoder, nights=3):
    decoder = layers.Dense(12, kernel_initializer=sway, name="draw")
    faces = tf.cos(tf.reshape(tf.range(96.0), [8, 12]) * 0.31)
    noise = tf.sin(tf.reshape(tf.range(24.0), [8, 3]) * 1.3)
    optimizer = tf.keras.optimizers.Adam(0.01)
    for _ in range(nights):
        with tf.GradientTape() as tape:
            mean, spread = encoder(faces)
            made = decoder(mean + noise * tf.exp(0.5 * spread))
            kept = -0.5 * tf.reduce_mean(1.0 + spread - tf.square(mean) - tf.exp(spread))
            loss = tf.reduce_mean(tf.square(made - faces)) + 0.1 * kept
        weights = encoder.trainable_variables + decoder.trainable_variables
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"encoder/hands/kernel": grads[0], "encoder/to_mean/kernel": grads[4], "draw/kernel": grads[8]}


def broken():
    return draw(Encoder())


def fixed():
    return draw(OneTower())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
