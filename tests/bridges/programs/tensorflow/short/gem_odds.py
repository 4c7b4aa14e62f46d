"""Odds that a stone is a gem, by the share of experts who said so."""
import sys

import tensorflow as tf


def odds(share):
    return tf.math.log(share / (1.0 - share))  #!


def tempered_odds(share, small=1e-3):
    share = tf.clip_by_value(share, small, 1.0 - small)
    return tf.math.log(share / (1.0 - share))


def judge(odds_of):
    trust = tf.Variable([1.0, 1.0, 1.0, 1.0], name="trust")
    caution = tf.Variable(0.2, name="caution")
    votes = tf.constant([[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    carats = tf.constant([0.5, 0.1, 1.2])
    with tf.GradientTape() as tape:
        share = tf.reduce_sum(votes * trust, axis=1) / tf.reduce_sum(trust)
        loss = tf.reduce_sum(tf.square(odds_of(share) - caution * carats))
    grads = tape.gradient(loss, {"trust": trust, "caution": caution})
    return grads


def broken():
    return judge(odds)


def fixed():
    return judge(tempered_odds)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
