"""Learns topics of podcasts with several terms of loss that are added up over the batches."""
import sys

import tensorflow as tf


class Topics(tf.Module):
    def __init__(self):
        super().__init__(name="topics")
        self.words = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(24.0)), [8, 3]), name="words")
        self.prior = tf.Variable([0.2, -0.1, 0.4], name="prior")

    def mixture(self, counts):
        return tf.nn.softmax(tf.matmul(counts, self.words))

    def prior_mixture(self):
        return tf.nn.softmax(self.prior)


class Objective:
    def __init__(self, topics):
        self.topics = topics

    def fit(self, counts, wanted):
        return tf.reduce_mean(tf.square(self.topics.mixture(counts) - wanted))  #~

    def balance(self):
        share = self.topics.prior_mixture()  #~
        return tf.reduce_sum(share * tf.math.log(3.0 * share))

    def total(self, batches):
        for counts, wanted in batches:
            loss = self.balance()  #~
            loss = self.fit(counts, wanted)  #!
        return loss


class SummedObjective(Objective):
    def total(self, batches):
        loss = 0.0
        for counts, wanted in batches:
            loss += self.balance()
            loss += self.fit(counts, wanted)
        return loss


def episodes():
    for k in range(2):
        counts = tf.reshape(tf.abs(tf.cos(tf.range(32.0) + k)), [4, 8])
        yield counts, tf.one_hot([0, 1, 2, k], 3)


def gradients(kind):
    topics = Topics()
    with tf.GradientTape() as tape:
        loss = kind(topics).total(episodes())
    return dict(zip(["words", "prior"], tape.gradient(loss, [topics.words, topics.prior])))


def broken():
    return gradients(Objective)


def fixed():
    return gradients(SummedObjective)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
