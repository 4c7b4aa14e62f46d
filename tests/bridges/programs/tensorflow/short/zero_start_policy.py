"""A policy for a lawn sprinkler, whose last layer begins at zero so that all actions are equally likely."""
import sys

import tensorflow as tf


def policy(last):
    look = tf.Variable(tf.reshape(0.4 * tf.sin(tf.range(12.0)), [3, 4]), name="look")
    act = tf.Variable(tf.fill([4, 3], 1.0) * last, name="act")
    return look, act


def reinforce(last):
    look, act = policy(last)
    lawn = tf.reshape(tf.cos(0.6 * tf.range(15.0)), [5, 3])
    with tf.GradientTape() as tape:
        seen = tf.nn.elu(lawn @ look)
        logits = seen @ act  #!
        surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([0, 2, 1, 0, 2]), logits)
        loss = tf.reduce_mean(surprise * tf.constant([1.0, -0.5, 0.3, 0.8, -0.2]))
    return dict(zip(["look", "act"], tape.gradient(loss, [look, act])))


def broken():
    return reinforce(tf.zeros([3]))


def fixed():
    return reinforce(tf.constant([0.01, -0.02, 0.03]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
