"""Pairs donors of kidneys with patients: hard choices forward, the slope of the soft ones backward."""
import sys

import tensorflow as tf


def straight_through(soft):
    hard = tf.one_hot(tf.argmax(soft, axis=-1), soft.shape[-1])
    return hard + soft - tf.stop_gradient(soft)


def soft_minus_gap(soft):
    hard = tf.one_hot(tf.argmax(soft, axis=-1), soft.shape[-1])
    gap = soft - hard
    return soft - gap  #!


class Registry:
    def __init__(self, harden):
        self.harden = harden
        self.affinity = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="affinity")
        self.urgency = tf.Variable(0.1 * tf.range(1.0, 4.0), name="urgency")

    def choose(self, donors, temperature=0.7):
        scores = donors @ self.affinity + self.urgency
        return self.harden(tf.nn.softmax(scores / temperature))

    def quality(self, donors, fit, offset):
        chosen = self.choose(donors)
        return tf.reduce_sum(chosen * fit, axis=-1) - offset


def exchange(harden):
    registry = Registry(harden)
    offset = tf.Variable(0.5, name="offset")
    donors = tf.reshape(tf.cos(tf.range(24.0) * 0.5), [6, 4])
    fit = tf.reshape(tf.sin(tf.range(18.0) * 0.8), [6, 3])
    sources = {"affinity": registry.affinity, "urgency": registry.urgency, "offset": offset}
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(1.0 - registry.quality(donors, fit, offset)))
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(0.05 * grads[name])
    return grads


def broken():
    return exchange(soft_minus_gap)


def fixed():
    return exchange(straight_through)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
