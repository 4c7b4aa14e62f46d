"""Attention over ports on a spice route, written by hand; weak connections are pruned at a learned level."""
import sys

import tensorflow as tf


class Heads(tf.Module):
    def __init__(self, width, heads, soft, name=None):
        super().__init__(name)
        self.heads, self.size, self.soft = heads, width // heads, soft
        grid = tf.reshape(tf.range(float(width * width)), [width, width])
        self.query = tf.Variable(tf.sin(grid) * 0.6, name="query")
        self.key = tf.Variable(tf.cos(grid * 0.7) * 0.6, name="key")
        self.worth = tf.Variable(tf.sin(grid * 0.3 + 1.0) * 0.6, name="worth")
        self.level = tf.Variable(0.02, name="level")

    def split(self, x):
        return tf.transpose(tf.reshape(x, [x.shape[0], self.heads, self.size]), [1, 0, 2])

    def kept(self, weights):
        if self.soft:
            return tf.sigmoid(40.0 * (weights - self.level))
        return tf.cast(tf.greater(weights, self.level), tf.float32)  #!

    @tf.Module.with_name_scope
    def __call__(self, ports):
        q, k, v = (self.split(ports @ w) for w in (self.query, self.key, self.worth))
        scores = tf.matmul(q, k, transpose_b=True) / float(self.size) ** 0.5
        scores -= tf.stop_gradient(tf.reduce_max(scores, axis=-1, keepdims=True))
        weights = tf.exp(scores) / tf.reduce_sum(tf.exp(scores), axis=-1, keepdims=True)
        mixed = tf.matmul(weights * self.kept(weights), v)
        return tf.reshape(tf.transpose(mixed, [1, 0, 2]), ports.shape)


class Trader:
    def __init__(self, soft):
        self.attention = Heads(6, 2, soft, name="attention")

    @tf.function(input_signature=[tf.TensorSpec([5, 6]), tf.TensorSpec([5, 6])])
    def learn(self, ports, prices):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(self.attention(ports) - prices))
        wanted = {"query": self.attention.query, "level": self.attention.level}
        return tape.gradient(loss, wanted)


def trade(soft):
    ports = tf.reshape(tf.sin(tf.range(30.0) * 0.35), [5, 6])
    trader = Trader(soft)
    for _ in range(2):
        slopes = trader.learn(ports, tf.roll(ports, 1, axis=0))
    return slopes


def broken():
    return trade(soft=False)


def fixed():
    return trade(soft=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
