"""Spread of ferns: samples of the posterior by Langevin steps with the Metropolis test."""
import math

import tensorflow as tf


class Posterior:
    def __init__(self, plots, ferns):
        self.plots, self.ferns = plots, ferns

    def log_density(self, weights):
        rate = tf.linalg.matvec(self.plots, weights)
        return tf.reduce_sum(self.ferns * rate - tf.exp(rate)) - 0.5 * tf.reduce_sum(tf.square(weights))

    def with_gradient(self, weights):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            density = self.log_density(weights)
        return density, tape.gradient(density, weights)


class Chain:
    """One chain; the proposal is a step along the gradient with noise from a table."""

    def __init__(self, posterior, start, step=0.05):
        self.posterior, self.step = posterior, step
        self.weights = start
        self.density, self.slope = posterior.with_gradient(start)
        self.accepted = 0

    def _log_move(self, to, start, slope):
        return -tf.reduce_sum(tf.square(to - start - self.step * slope)) / (4.0 * self.step)

    def advance(self, number):
        noise = tf.sin(tf.range(3.0) * 1.7 + 2.3 * number)
        proposal = self.weights + self.step * self.slope + math.sqrt(2.0 * self.step) * noise
        density, slope = self.posterior.with_gradient(proposal)
        ratio = density - self.density + self._log_move(self.weights, proposal, slope) - self._log_move(proposal, self.weights, self.slope)
        if math.log(0.05 + 0.9 * abs(math.sin(number))) < float(ratio):
            self.weights, self.density, self.slope = proposal, density, slope
            self.accepted += 1
        return self.weights


def broken():
    plots = tf.reshape(tf.sin(tf.range(60.0)), [20, 3])
    posterior = Posterior(plots, tf.abs(tf.round(2.0 * tf.cos(tf.range(20.0)))))
    chain = Chain(posterior, tf.zeros([3]))
    samples = tf.stack([chain.advance(number) for number in range(40)])
    mean = tf.reduce_mean(samples[10:], axis=0)
    print("accepted", chain.accepted, "of 40, mean", mean.numpy())
    return {"weights": posterior.with_gradient(mean)[1]}


if __name__ == "__main__":
    print(broken())
