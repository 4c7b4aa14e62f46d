"""How long street lamps last, by Cox: partial likelihood of failures, with covariates as the depot measured them."""
import sys

import tensorflow as tf

LAMPS = 18


class Hazard(tf.Module):
    def __init__(self):
        super().__init__(name="hazard")
        self.first = tf.Variable(tf.reshape(0.3 * tf.cos(tf.range(18.0)), [3, 6]), name="first")
        self.second = tf.Variable(tf.fill([6, 1], 0.9), name="second")

    def __call__(self, facts):
        return tf.matmul(tf.nn.softplus(tf.matmul(facts, self.first)), self.second)[:, 0]


class PartialLikelihood:
    def risk_sums(self, scores):
        """Sum of the hazards of all that still burn; lamps are sorted by their time, longest first."""
        return tf.math.log(tf.cumsum(tf.exp(scores)))  #!

    def __call__(self, scores, failed):
        return -tf.reduce_sum((scores - self.risk_sums(scores)) * failed) / tf.reduce_sum(failed)


class StableLikelihood(PartialLikelihood):
    def risk_sums(self, scores):
        return tf.math.cumulative_logsumexp(scores)


def depot():
    number = tf.range(float(LAMPS))
    volts = 230.0 + 6.0 * tf.sin(number * 1.7)  #~
    hours, age = 8.0 + 4.0 * tf.cos(number), 3.0 + tf.sin(number * 0.4)
    failed = tf.cast(tf.range(LAMPS) % 4 != 0, tf.float32)
    return tf.stack([volts, hours, age], axis=1), failed  #~


def fit(likelihood, epochs=2):
    facts, failed = depot()
    hazard = Hazard()
    weights = [hazard.first, hazard.second]
    for _ in range(epochs):
        with tf.GradientTape() as tape:
            loss = likelihood(hazard(facts), failed)  #~
        grads = tape.gradient(loss, weights)
        for weight, grad in zip(weights, grads):
            weight.assign_sub(1e-6 * grad)
    return dict(zip(["first", "second"], grads))


def broken():
    return fit(PartialLikelihood())


def fixed():
    return fit(StableLikelihood())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
