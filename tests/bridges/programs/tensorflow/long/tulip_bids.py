"""Bids for tulips: a frozen reference policy, a ratio that is clipped, and a penalty by its divergence."""
import sys

import tensorflow as tf


def policy(name, trainable=True):
    return {
        "kernel": tf.Variable(0.1 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), trainable=trainable, name=f"{name}_kernel"),
        "bias": tf.Variable(tf.zeros([3]), trainable=trainable, name=f"{name}_bias"),
    }


def log_probabilities(policy, markets):
    return tf.nn.log_softmax(markets @ policy["kernel"] + policy["bias"])


def surrogate(policy, reference, markets, bids, gains):
    new, old = log_probabilities(policy, markets), log_probabilities(reference, markets)
    chosen = tf.gather(new, bids, axis=1, batch_dims=1)
    ratio = tf.exp(chosen - tf.stop_gradient(tf.gather(old, bids, axis=1, batch_dims=1)))
    bounded = tf.minimum(ratio * gains, tf.clip_by_value(ratio, 0.8, 1.2) * gains)
    divergence = tf.reduce_sum(tf.exp(old) * (old - new), axis=1)
    return -tf.reduce_mean(bounded) + 0.1 * tf.reduce_mean(divergence)


def broken():
    bidder, reference = policy("bid"), policy("reference", trainable=False)
    markets = tf.reshape(tf.cos(tf.range(32.0)), [8, 4])
    bids = tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
    gains = tf.sin(tf.range(8.0))
    gains = tf.math.divide_no_nan(gains - tf.reduce_mean(gains), tf.math.reduce_std(gains))
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = surrogate(bidder, reference, markets, bids, gains)
        grads = tape.gradient(loss, bidder)
        for name, grad in grads.items():
            bidder[name].assign_sub(0.2 * grad)
    return {f"bid_{name}": grad for name, grad in grads.items()}


if __name__ == "__main__":
    print(broken())
