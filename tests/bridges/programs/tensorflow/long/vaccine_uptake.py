"""Uptake of a vaccine by county: a logistic curve in time whose logits are kept within bounds."""
import sys

import tensorflow as tf

WEEKS = tf.range(0.0, 24.0)


class Uptake(tf.Module):
    def __init__(self, counties, bound, name="uptake"):
        super().__init__(name=name)
        steps = tf.range(float(counties))
        self.eagerness = tf.Variable(6.0 + 0.5 * tf.sin(steps), name="eagerness")
        self.reluctance = tf.Variable(0.2 * tf.cos(steps), name="reluctance")
        self.ceiling = tf.Variable(tf.fill([counties], 0.8), name="ceiling")
        self.bound = bound

    def bounded(self, logits):
        return tf.clip_by_value(logits, -self.bound, self.bound)  #!

    def curve(self, weeks):
        logits = self.eagerness[:, None] * (weeks[None, :] + 1.0) - self.reluctance[:, None]
        return tf.sigmoid(self.ceiling)[:, None] * tf.sigmoid(self.bounded(logits))


def observed(counties):
    grid = tf.reshape(tf.range(counties * 24.0), [counties, 24])
    return 0.4 + 0.2 * tf.sin(grid * 0.13)


@tf.function
def slopes(model, target):
    with tf.GradientTape() as tape:
        miss = tf.reduce_mean(tf.square(model.curve(WEEKS) - target))
    return tape.gradient(miss, [model.eagerness, model.reluctance, model.ceiling])


def survey(bound, counties=5, rounds=4):
    model = Uptake(counties, bound)
    target = observed(counties)
    for _ in range(rounds):
        grads = slopes(model, target)
        for variable, grad in zip((model.eagerness, model.reluctance, model.ceiling), grads):
            variable.assign_sub(0.1 * grad)
    return dict(zip(("eagerness", "reluctance", "ceiling"), grads))


def broken():
    return survey(bound=5.0)


def fixed():
    return survey(bound=500.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
