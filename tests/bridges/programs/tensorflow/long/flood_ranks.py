"""Floods at two gauges and how they go together: levels become ranks on a learned grid, ranks meet in a copula."""
import sys

import tensorflow as tf


class Margin:
    """The distribution of one gauge's levels: a grid whose gaps are learned."""

    def __init__(self, cells, phase, smooth):
        self.gaps = tf.Variable(0.2 * tf.sin(tf.range(float(cells)) + phase), name=f"gaps_{phase}")
        self.cells, self.smooth = cells, smooth

    def edges(self):
        return tf.cumsum(tf.nn.softplus(self.gaps))

    def rank(self, levels):
        edges = self.edges()
        if self.smooth:
            below = tf.reduce_sum(tf.sigmoid(8.0 * (levels[:, None] - edges[None, :])), axis=1)
        else:
            below = tf.cast(tf.searchsorted(edges, levels), tf.float32)  #!
        return (below + 0.5) / (self.cells + 1.0)


class Copula:
    def __init__(self, smooth):
        self.upper, self.lower = Margin(6, 1, smooth), Margin(6, 2, smooth)
        self.dependence = tf.Variable(0.4, name="dependence")

    def log_density(self, first, second):
        u, v = self.upper.rank(first), self.lower.rank(second)
        a, b = tf.math.ndtri(u), tf.math.ndtri(v)
        r = tf.tanh(self.dependence)
        rest = 1.0 - r * r
        return -0.5 * tf.math.log(rest) - (r * r * (a * a + b * b) - 2.0 * r * a * b) / (2.0 * rest)


def years(count=9):
    index = tf.range(float(count))
    first = 2.4 + 1.6 * tf.sin(index * 1.1)
    return first, 0.6 * first + 0.9 + 0.3 * tf.cos(index * 2.3)


def fit(smooth):
    copula = Copula(smooth)
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(copula.log_density(*years()))
    return tape.gradient(
        loss,
        {"gaps_1": copula.upper.gaps, "gaps_2": copula.lower.gaps, "dependence": copula.dependence},
    )


def broken():
    return fit(smooth=False)


def fixed():
    return fit(smooth=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
