"""Prices in a bazaar: a mixture whose parts are far from the data, scored by a compiled density."""
import sys

import tensorflow as tf


class Bazaar(tf.Module):
    def __init__(self, by_logs):
        super().__init__(name="bazaar")
        self.by_logs = by_logs
        self.means = tf.Variable([1.0, 4.0], name="means")
        self.share = tf.Variable([0.3, -0.3], name="share")

    @tf.function
    def score(self, prices):
        apart = -0.5 * tf.square(prices[:, None] - self.means) / 0.01
        if self.by_logs:
            return tf.reduce_logsumexp(apart + tf.nn.log_softmax(self.share), 1)
        density = tf.reduce_sum(tf.exp(apart) * tf.nn.softmax(self.share), 1)
        return tf.math.log(density)  #!


def haggle(by_logs, days=3):
    bazaar = Bazaar(by_logs)
    rule = tf.keras.optimizers.SGD(1e-4)
    weights = [bazaar.means, bazaar.share]
    for day in range(days):
        prices = tf.constant([0.9, 1.1, 4.05, 3.9]) + (0.0 if day < days - 1 else 4.0)
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(bazaar.score(prices))
        grads = tape.gradient(loss, weights)
        if day < days - 1:
            rule.apply_gradients(zip(grads, weights))
    return dict(zip(("means", "share"), grads))


def broken():
    return haggle(False)


def fixed():
    return haggle(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
