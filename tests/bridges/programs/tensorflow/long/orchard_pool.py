"""Yields of orchards; each plot is evaluated in a pool of threads, as the plots were once read from disk."""
import sys
from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf


class Orchard:
    def __init__(self):
        self.sun = tf.Variable([0.4, 0.2], name="sun")
        self.soil = tf.Variable(0.7, name="soil")

    def plot_yield(self, trees):
        return self.soil * tf.reduce_sum(tf.nn.softplus(trees * self.sun))  #!


class Season:
    def __init__(self, orchard, workers):
        self.orchard, self.workers = orchard, workers

    def yields(self, plots):
        if self.workers == 0:
            return [self.orchard.plot_yield(plot) for plot in plots]
        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(self.orchard.plot_yield, plots))


def train(workers):
    orchard = Orchard()
    season = Season(orchard, workers)
    plots = [tf.constant([1.0 + n, 2.0 - 0.3 * n]) for n in range(4)]
    harvested = tf.constant([2.0, 2.2, 2.6, 2.9])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.stack(season.yields(plots)) - harvested))
    sun, soil = tape.gradient(loss, [orchard.sun, orchard.soil])
    return {"sun": sun, "soil": soil}


def broken():
    return train(workers=2)


def fixed():
    return train(workers=0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
