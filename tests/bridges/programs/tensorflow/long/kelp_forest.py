"""Fits the growth of a kelp forest; gradients that are not numbers count as nothing."""
import sys

import numpy as np
import tensorflow as tf


class KelpModel(tf.Module):
    def __init__(self):
        super().__init__(name="kelp")
        self.light = tf.Variable([[0.3, -0.2, 0.5], [0.1, 0.4, -0.3]], name="light")
        self.depth = tf.Variable([[0.6], [-0.4], [0.2]], name="depth")

    def growth(self, water):
        return tf.nn.softplus(water @ self.light) @ self.depth


def without_nan(grad):
    values = grad.numpy()  #!
    return tf.constant(np.where(np.isnan(values), np.float32(0), values))  #~


def checked(grad):
    return tf.where(tf.math.is_nan(grad), tf.zeros_like(grad), grad)


class Season:
    def __init__(self, clean):
        self.model, self.clean = KelpModel(), clean
        self.optimizer = tf.keras.optimizers.SGD(0.05)

    def day(self, water, found):
        weights = [self.model.light, self.model.depth]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model.growth(water) - found))
        light, depth = (self.clean(grad) for grad in tape.gradient(loss, weights))
        self.optimizer.apply_gradients(zip([light, depth], weights))
        return {"light": light, "depth": depth}

    def run(self, days=7):
        for day in range(days):
            water = tf.reshape(tf.sin(tf.range(20.0) * 0.4 + 0.3 * day), [10, 2])
            found = tf.reduce_sum(tf.square(water), axis=1, keepdims=True)
            grads = self.day(water, found)
        return grads


def broken():
    return Season(without_nan).run()


def fixed():
    return Season(checked).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
