"""Shells of mussels by a variational autoencoder whose divergence is weighed up epoch by epoch."""
import sys

import keras
import tensorflow as tf

SHELLS, RIDGES, CODE = 24, 10, 2


def ridge(shape, dtype=None):
    return 0.25 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.47), shape)


class Shells(keras.Model):
    def __init__(self):
        super().__init__(name="shells")
        self.encode = keras.layers.Dense(2 * CODE, kernel_initializer=ridge, name="encode")
        self.decode = keras.layers.Dense(RIDGES, kernel_initializer=ridge, name="decode")

    def call(self, shells, noise):
        mean, spread = tf.split(self.encode(shells), 2, axis=1)
        drawn = self.decode(mean + tf.exp(0.5 * spread) * noise)
        divergence = -0.5 * tf.reduce_mean(1.0 + spread - tf.square(mean) - tf.exp(spread))
        return drawn, divergence


class Trainer:
    def __init__(self, model, warmup, as_tensor):
        self.model, self.warmup, self.as_tensor = model, warmup, as_tensor
        self.optimizer = keras.optimizers.Adam(1e-3)
        self.optimizer.build(model.trainable_variables)

    @tf.function
    def step(self, shells, noise, beta):  #~
        with tf.GradientTape() as tape:
            drawn, divergence = self.model(shells, noise)
            loss = tf.reduce_mean(tf.square(drawn - shells)) + beta * divergence
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss, grads

    def weight(self, epoch):
        beta = min(1.0, epoch / self.warmup)  #~
        return tf.constant(beta, tf.float32) if self.as_tensor else beta

    def epoch(self, number, batches):
        for shells, noise in batches:
            loss, grads = self.step(shells, noise, self.weight(number))  #!
        return loss, grads


def collect(as_tensor):
    model = Shells()
    shells = tf.reshape(tf.cos(tf.range(float(SHELLS * RIDGES)) * 0.33), [SHELLS, RIDGES])
    noise = tf.reshape(tf.sin(tf.range(float(SHELLS * CODE)) * 2.1), [SHELLS, CODE])
    batches = [(shells[k : k + 8], noise[k : k + 8]) for k in range(0, SHELLS, 8)]
    model(*batches[0])
    trainer = Trainer(model, warmup=4, as_tensor=as_tensor)
    for number in range(5):
        loss, grads = trainer.epoch(number, batches)
    return {w.path: g for w, g in zip(model.trainable_variables, grads)}


def broken():
    return collect(as_tensor=False)


def fixed():
    return collect(as_tensor=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
