"""Owls heard per night, a Poisson regression on the moon and the month, batch by batch."""
import sys

import tensorflow as tf

nights = tf.stack([tf.sin(tf.range(8.0)) * 10.0, tf.range(8.0) * 12.0], axis=1)
heard = tf.constant([0.0, 3.0, 1.0, 4.0, 9.0, 2.0, 6.0, 12.0])


def standardised(rows):
    return (rows - tf.reduce_mean(nights, axis=0)) / tf.math.reduce_std(nights, axis=0)


def train(prepare, rate=0.9):
    weights = tf.Variable([0.05, 0.01], name="weights")
    base = tf.Variable(0.1, name="base")
    for features, counts in tf.data.Dataset.from_tensor_slices((nights, heard)).batch(2).repeat(2):
        with tf.GradientTape() as tape:
            log_rate = tf.linalg.matvec(prepare(features), weights) + base
            rate_of = tf.exp(log_rate)  #!
            loss = tf.reduce_mean(rate_of - counts * log_rate)
        grads = tape.gradient(loss, {"weights": weights, "base": base})
        weights.assign_sub(rate * grads["weights"])
        base.assign_sub(rate * grads["base"])
    return grads


def broken():
    return train(tf.identity)


def fixed():
    return train(standardised)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
