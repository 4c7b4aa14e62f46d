"""Insurance claims with a Tweedie loss, fitted by Keras; the last layer is a ReLU."""
import sys

import keras
import numpy as np
import tensorflow as tf


def wave(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.3), shape)


def tweedie(power=1.5):
    def loss(claims, predicted):
        first = claims * tf.pow(predicted, 1.0 - power) / (1.0 - power)  #!
        second = tf.pow(predicted, 2.0 - power) / (2.0 - power)
        return tf.reduce_mean(second - first)

    return loss


class Insurer(keras.Model):
    def __init__(self, last):
        super().__init__(name="insurer")
        self.risk = keras.layers.Dense(6, "tanh", kernel_initializer=wave, name="risk")
        self.size = keras.layers.Dense(1, last, kernel_initializer=wave, name="size")
        self.kept = {}

    def call(self, cars):
        return self.size(self.risk(cars))

    def train_step(self, data):
        cars, claims = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=claims, y_pred=self(cars, training=True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.kept = {v.path: g for v, g in zip(self.trainable_variables, grads)}
        self.optimizer.apply(grads, self.trainable_variables)
        return {"loss": loss}


def train(last):
    model = Insurer(last)
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=tweedie(), run_eagerly=True)
    cars = np.cos(np.arange(48.0).reshape(12, 4) * 0.4).astype(np.float32)
    claims = np.where(np.arange(12) % 3 == 0, 2.0, 0.0).astype(np.float32)[:, None]
    model.fit(cars, claims, batch_size=4, epochs=1, shuffle=False, verbose=0)
    return {name: grad for name, grad in model.kept.items() if "kernel" in name}


def broken():
    return train("relu")


def fixed():
    return train("softplus")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
