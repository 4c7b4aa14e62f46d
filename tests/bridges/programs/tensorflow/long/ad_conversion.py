"""A Bayesian test of two adverts: the posterior of the conversion rate as an incomplete beta function."""
import sys

import tensorflow as tf


class Posterior:
    """Beta posterior with learned prior counts."""

    def __init__(self):
        self.successes = tf.Variable(2.0, name="successes")
        self.failures = tf.Variable(30.0, name="failures")
        self.threshold = tf.Variable(0.08, name="threshold")

    def counts(self, clicks, views):
        alpha = self.successes + clicks
        beta = self.failures + views - clicks
        return alpha, beta

    def probability_below(self, clicks, views):
        alpha, beta = self.counts(clicks, views)
        return tf.math.betainc(alpha, beta, self.threshold)  #!


class NormalPosterior(Posterior):
    """The same by a normal approximation."""

    def probability_below(self, clicks, views):
        alpha, beta = self.counts(clicks, views)
        total = alpha + beta
        mean = alpha / total
        deviation = tf.sqrt(mean * (1.0 - mean) / (total + 1.0))
        return 0.5 * (1.0 + tf.math.erf((self.threshold - mean) / (deviation * 2.0 ** 0.5)))


class AdvertTest:
    def __init__(self, posterior):
        self.posterior = posterior
        self.clicks = tf.round(tf.constant([12.2, 19.9]))
        self.views = tf.constant([200.0, 210.0])

    def loss(self):
        below = tf.stack([
            self.posterior.probability_below(clicks, views)
            for clicks, views in zip(tf.unstack(self.clicks), tf.unstack(self.views))
        ])
        return tf.reduce_sum(tf.square(below - tf.constant([0.8, 0.2])))


def gradients(posterior):
    test = AdvertTest(posterior)
    with tf.GradientTape() as tape:
        loss = test.loss()
    sources = [posterior.successes, posterior.failures, posterior.threshold]
    return dict(zip(["successes", "failures", "threshold"], tape.gradient(loss, sources)))


def broken():
    return gradients(Posterior())


def fixed():
    return gradients(NormalPosterior())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
