"""Predicts how many jars of jam a shop orders; orders are whole, so the model's answer is rounded before it is judged."""
import sys

import keras
import tensorflow as tf


def fruit(shape, dtype=None):
    return 0.7 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.5), shape)


class Orders(keras.Model):
    def __init__(self):
        super().__init__(name="orders")
        self.hidden = keras.layers.Dense(5, "relu", kernel_initializer=fruit, bias_initializer="ones", name="hidden")
        self.jars = keras.layers.Dense(1, "softplus", kernel_initializer=fruit, name="jars")

    def call(self, shops):
        return self.jars(self.hidden(shops))

    def judge(self, shops, ordered):
        whole = tf.round(self(shops))  #!
        return tf.reduce_mean(tf.square(whole - ordered))

    def learn(self, shops, ordered, optimizer):
        with tf.GradientTape() as tape:
            loss = self.judge(shops, ordered)
        weights = self.trainable_variables
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
        return {v.path: g for v, g in zip(weights, grads)}


class SmoothOrders(Orders):
    def judge(self, shops, ordered):
        return tf.reduce_mean(tf.square(self(shops) - ordered))


def market(model):
    shops = tf.reshape(tf.sin(tf.range(18.0 * 4) * 0.29), [18, 4])
    ordered = tf.round(3.0 + 2.0 * tf.reduce_sum(shops, axis=1, keepdims=True))
    return model.learn(shops, ordered, keras.optimizers.RMSprop(0.01))


def broken():
    return market(Orders())


def fixed():
    return market(SmoothOrders())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
