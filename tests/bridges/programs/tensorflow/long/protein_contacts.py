"""Contacts within proteins: a score for each chain, whose residues are compared with each other by a learned metric."""
import sys

import tensorflow as tf


class Metric(tf.Module):
    def __init__(self, size=4):
        super().__init__(name="metric")
        self.bend = tf.Variable(tf.eye(size) + 0.1 * tf.reshape(tf.sin(tf.range(16.0)), [size, size]), name="bend")
        self.cutoff = tf.Variable(1.0, name="cutoff")

    def contacts(self, chain):
        moved = tf.matmul(chain, self.bend)
        apart = tf.reduce_sum(tf.square(moved[:, None, :] - moved[None, :, :]), axis=-1)
        return tf.reduce_mean(tf.sigmoid(self.cutoff - apart))


def one_by_one(metric, chains):
    scores = []
    for index in range(chains.shape[0]):
        scores.append(metric.contacts(chains[index]))  #!
    return tf.stack(scores)


def together(metric, chains):
    moved = tf.einsum("bri,ij->brj", chains, metric.bend)
    apart = tf.reduce_sum(tf.square(moved[:, :, None, :] - moved[:, None, :, :]), axis=-1)
    return tf.reduce_mean(tf.sigmoid(metric.cutoff - apart), axis=[1, 2])


def fold(score, chains=24, steps=2):
    metric = Metric()
    library = tf.reshape(tf.cos(tf.range(chains * 6 * 4.0) * 0.07), [chains, 6, 4])
    stable = tf.linspace(0.2, 0.8, chains)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(score(metric, library) - stable))
        bend, cutoff = tape.gradient(loss, [metric.bend, metric.cutoff])
        metric.bend.assign_sub(0.01 * bend)
        metric.cutoff.assign_sub(0.01 * cutoff)
    return {"bend": bend, "cutoff": cutoff}


def broken():
    return fold(one_by_one)


def fixed():
    return fold(together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
