"""Several heads guess where a dancer steps next; only the best guess is trained."""
import sys

import tensorflow as tf


class Guesses(tf.Module):
    def __init__(self, soft):
        super().__init__(name="guesses")
        self.soft = soft
        self.near = tf.Variable([[0.4], [0.1]], name="near")
        self.wide = tf.Variable([[0.2], [0.5]], name="wide")
        self.far = tf.Variable([[3.0], [3.0]], name="far")

    def __call__(self, steps):
        return tf.concat([steps @ head + 1.0 * place for place, head in enumerate((self.near, self.wide, self.far))], axis=1)

    def loss(self, steps, following):
        errors = tf.square(self(steps) - following)
        if self.soft:
            return tf.reduce_mean(-tf.reduce_logsumexp(-0.1 * errors, axis=1))
        return tf.reduce_mean(tf.reduce_min(errors, axis=1))  #!


def dance():
    steps = tf.stack([1.0 + tf.range(6.0) * 0.1, 2.0 - tf.range(6.0) * 0.1], axis=1)
    return steps, tf.reduce_sum(steps, axis=1, keepdims=True) * 0.3


def rehearse(soft, rounds=3, rate=0.01):
    guesses = Guesses(soft)
    sources = {"near": guesses.near, "wide": guesses.wide, "far": guesses.far}
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = guesses.loss(*dance())
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return rehearse(soft=False)


def fixed():
    return rehearse(soft=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
