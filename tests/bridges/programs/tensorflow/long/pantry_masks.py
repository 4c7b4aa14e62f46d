"""Stocks of a pantry: losses over items of which some were never counted, kept finite by two wheres."""
import sys

import tensorflow as tf


class Pantry:
    def __init__(self):
        self.used = tf.Variable([0.4, 0.1, 0.3], name="used")
        self.spoiled = tf.Variable(0.05, name="spoiled")

    def predict(self, days):
        return tf.exp(-days[:, None] * self.used) * (1.0 - self.spoiled)


def log_miss(counted, predicted):
    known = tf.math.is_finite(counted)
    safe = tf.where(known, counted, tf.ones_like(counted))
    miss = tf.square(tf.math.log(safe) - tf.math.log(predicted))
    return tf.reduce_sum(tf.where(known, miss, 0.0)) / tf.reduce_sum(tf.cast(known, tf.float32))


def keep_stock(steps=4):
    pantry = Pantry()
    days = tf.constant([1.0, 2.0, 4.0, 8.0])
    counted = tf.constant([[0.7, 0.9, float("nan")], [0.4, float("nan"), 0.5], [0.2, 0.6, 0.3], [float("nan"), 0.4, 0.1]])
    optimizer = tf.keras.optimizers.Adam(0.01, clipnorm=1.0)
    history = []
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = log_miss(counted, pantry.predict(days))
        grads = tape.gradient(loss, [pantry.used, pantry.spoiled])
        tf.debugging.assert_all_finite(grads[0], "a gradient is not finite")
        optimizer.apply_gradients(zip(grads, [pantry.used, pantry.spoiled]))
        if step % 2 == 0:
            history.append(float(loss))
    return {"used": grads[0], "spoiled": grads[1]}


def broken():
    return keep_stock()


if __name__ == "__main__":
    print(broken())
