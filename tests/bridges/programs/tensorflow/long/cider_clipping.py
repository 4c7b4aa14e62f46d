"""Predicts the sugar of cider; gradients are clipped by NumPy, from a script that once ran on another framework."""
import sys

import keras
import numpy as np
import tensorflow as tf


def apples(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8), shape)


def press():
    layers = [keras.Input((6,))]
    for depth in range(4):
        layers.append(keras.layers.Dense(8, "elu", kernel_initializer=apples, name=f"press{depth}"))
    layers.append(keras.layers.Dense(1, kernel_initializer=apples, name="sugar"))
    return keras.Sequential(layers, name="cider")


def clip_in_numpy(grads, limit):
    clipped = []
    for grad in grads:
        values = grad.numpy()  #!
        clipped.append(tf.constant(np.clip(values, -limit, limit)))
    return clipped


def clip_in_place(grads, limit):
    return [tf.clip_by_value(grad, -limit, limit) for grad in grads]


class Cellar:
    def __init__(self, clip):
        self.model, self.clip = press(), clip
        self.optimizer = keras.optimizers.SGD(0.02, momentum=0.9)

    def ferment(self, apples, sugar):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.huber(sugar, self.model(apples)))
        weights = self.model.trainable_weights
        grads = self.clip(tape.gradient(loss, weights), 0.05)
        self.optimizer.apply_gradients(zip(grads, weights))
        return {"cider/press0/kernel": grads[0], "cider/sugar/kernel": grads[-2]}


def season(clip):
    cellar = Cellar(clip)
    apples_in = tf.reshape(tf.cos(tf.range(40.0 * 6) * 0.35), [40, 6])
    sugar = tf.reduce_sum(apples_in, axis=1, keepdims=True)
    for press_day in range(5):
        rows = slice(8 * press_day, 8 * press_day + 8)
        grads = cellar.ferment(apples_in[rows], sugar[rows])
    return grads


def broken():
    return season(clip_in_numpy)


def fixed():
    return season(clip_in_place)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
