"""Forecasts of rye prices, evaluated after each epoch on a window that depends on the epoch's number."""
import sys

import keras
import tensorflow as tf


class Forecast(keras.Model):
    def __init__(self):
        super().__init__(name="rye")
        self.read = keras.layers.GRU(3, name="read", kernel_initializer="ones", recurrent_initializer="zeros")
        self.price = keras.layers.Dense(1, name="price", kernel_initializer="ones")

    def call(self, window):
        return self.price(self.read(window))


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = keras.optimizers.SGD(0.01)

    @tf.function
    def step(self, window, price):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(window) - price))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply(grads, self.model.trainable_variables)
        return loss, grads[-1]

    @tf.function
    def evaluate(self, prices, last):
        return tf.reduce_mean(self.model(prices[:, -last:]))


def prices():
    return tf.reshape(1.0 + 0.2 * tf.sin(tf.range(48.0)), [4, 12, 1])


def train(as_tensor, epochs=4):
    trainer, market = Trainer(Forecast()), prices()
    for epoch in range(epochs):
        loss, bias = trainer.step(market[:, :8], market[:, 8])
        last = tf.constant(4 + epoch) if as_tensor else 4 + epoch
        trainer.evaluate(market, last)  #!
    return {trainer.model.trainable_variables[-1].path: bias}


def broken():
    return train(as_tensor=False)


def fixed():
    return train(as_tensor=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
