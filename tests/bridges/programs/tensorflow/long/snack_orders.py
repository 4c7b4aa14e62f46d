"""Predicts orders of snacks from a dictionary of features; a compiled step takes whole batches."""
import sys

import keras
import tensorflow as tf


def crumb(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.8 + 0.2), shape)


class OrderModel(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.shop = keras.layers.Embedding(6, 3, embeddings_initializer=crumb, name="shop")
        self.join = keras.layers.Dense(
            5, "relu", kernel_initializer=crumb, bias_initializer="ones", name="join"
        )
        self.orders = keras.layers.Dense(1, kernel_initializer=crumb, name="orders")

    def call(self, features):
        x = tf.concat([self.shop(features["shop"]), features["weather"]], axis=1)
        return tf.squeeze(self.orders(self.join(x)), axis=1)


class Pipeline:
    def __init__(self, days=20, drop=False):
        self.days, self.drop = days, drop

    def __iter__(self):
        day = tf.range(self.days)
        weather = tf.stack([tf.sin(tf.cast(day, tf.float32)), 0.05 * tf.cast(day, tf.float32)], axis=1)
        rows = {"shop": day % 6, "weather": weather, "orders": 5.0 + weather[:, 0]}
        return iter(tf.data.Dataset.from_tensor_slices(rows).batch(8, drop_remainder=self.drop))


class Learner:
    def __init__(self):
        self.model = OrderModel(name="orders_model")
        self.model({"shop": tf.zeros([1], tf.int32), "weather": tf.zeros([1, 2])})
        self.optimizer = keras.optimizers.Adagrad(0.05)
        self.optimizer.build(self.model.trainable_variables)

    @tf.function
    def learn(self, batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(batch, training=True) - batch["orders"]))
        weights = self.model.trainable_variables
        grads = tape.gradient(loss, weights)
        self.optimizer.apply(grads, weights)
        return grads[-1]

    def run(self, pipeline, epochs=2):
        for _ in range(epochs):
            for batch in pipeline:
                bias = self.learn(batch)  #!
        return {"orders_model/orders/bias": bias}


def broken():
    return Learner().run(Pipeline())


def fixed():
    return Learner().run(Pipeline(drop=True))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
