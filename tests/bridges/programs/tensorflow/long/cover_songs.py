"""Learns to find cover songs: a query tower and a track tower, trained on the hardest tracks of a bank."""
import dataclasses
import sys

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Tower:
    kernel: tf.Variable
    shift: tf.Variable

    @classmethod
    def create(cls, name, inputs, outputs, phase):
        wave = tf.sin(tf.range(float(inputs * outputs)) * 0.7 + phase)
        kernel = tf.Variable(0.6 * tf.reshape(wave, [inputs, outputs]), name=f"{name}_kernel")
        return cls(kernel, tf.Variable(tf.zeros([outputs]), name=f"{name}_shift"))

    def __call__(self, chroma):
        return tf.math.l2_normalize(tf.tanh(chroma @ self.kernel + self.shift), axis=1)

    @property
    def weights(self):
        return [self.kernel, self.shift]


class Bank:
    """Embeddings of all tracks, and which of them are hardest for a query."""

    def __init__(self, tower, chroma):
        self.tower, self.chroma = tower, chroma
        self.vectors = None

    def refresh(self):
        rows = [self.tower(part) for part in tf.split(self.chroma, 3)]
        self.vectors = np.concatenate([row.numpy() for row in rows])  #!

    def hardest(self, queries, own, count=2):
        scores = tf.matmul(queries, self.vectors, transpose_b=True).numpy()
        scores[np.arange(len(own)), own] = -np.inf
        return np.argsort(-scores, axis=1)[:, :count].copy()

    def lookup(self, rows):
        return tf.gather(self.vectors, rows)  #~


class TensorBank(Bank):
    def refresh(self):
        self.vectors = tf.concat([self.tower(part) for part in tf.split(self.chroma, 3)], axis=0)


class Ranking:
    def __init__(self, bank, margin=0.4):
        self.bank, self.margin = bank, margin

    def loss(self, queries, own):
        self.bank.refresh()
        rivals = self.bank.hardest(queries, own)
        near = tf.reduce_sum(queries * self.bank.lookup(own), axis=1, keepdims=True)
        far = tf.einsum("qd,qkd->qk", queries, self.bank.lookup(rivals))
        return tf.reduce_mean(tf.nn.softplus(far - near + self.margin))


def train(make_bank, steps=3, rate=0.1):
    query, track = Tower.create("query", 12, 5, 0.1), Tower.create("track", 12, 5, 0.9)
    chroma = tf.reshape(tf.cos(tf.range(108.0) * 0.31), [9, 12])
    covers = chroma[:4] + 0.1 * tf.reshape(tf.sin(tf.range(48.0)), [4, 12])
    ranking = Ranking(make_bank(track, chroma))
    sources = query.weights + track.weights
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = ranking.loss(query(covers), np.arange(4))
        grads = tape.gradient(loss, sources)
        for weight, grad in zip(sources, grads):
            if grad is not None:
                weight.assign_sub(rate * grad)
    return {weight.name.split(":")[0]: grad for weight, grad in zip(sources, grads)}


def broken():
    return train(Bank)


def fixed():
    return train(TensorBank)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
