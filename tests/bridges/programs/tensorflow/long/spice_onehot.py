"""Aromas of spices: each mixture is a few spices of many, and the table of aromas is looked up."""
import sys

import tensorflow as tf

SPICES, AROMAS = 4000, 12


class Aromas(tf.Module):
    def __init__(self, lookup, name=None):
        super().__init__(name=name)
        self.table = tf.Variable(0.1 * tf.cos(tf.reshape(tf.range(float(SPICES * AROMAS)), [SPICES, AROMAS])), name="table")
        self.taste = tf.Variable(tf.ones([AROMAS, 1]), name="taste")
        self.lookup = lookup

    def __call__(self, mixtures):
        return tf.reduce_mean(self.lookup(self.table, mixtures), axis=1) @ self.taste


def by_product(table, mixtures):
    return tf.one_hot(mixtures, SPICES) @ table  #!


def by_gather(table, mixtures):
    return tf.nn.embedding_lookup(table, mixtures)


def learn(lookup, steps=3):
    aromas = Aromas(lookup)
    mixtures = tf.reshape(tf.range(96) * 613 % SPICES, [24, 4])
    liked = tf.reshape(tf.sin(tf.range(24.0)), [24, 1])
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(aromas(mixtures) - liked))
        table, taste = tape.gradient(loss, [aromas.table, aromas.taste])
        aromas.taste.assign_sub(0.1 * taste)
    return {"taste": taste}


def broken():
    return learn(by_product)


def fixed():
    return learn(by_gather)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
