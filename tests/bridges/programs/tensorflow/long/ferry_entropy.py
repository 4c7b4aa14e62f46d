"""A ferry's cargo plan is kept varied by an entropy bonus; lanes that are closed get no share at all."""
import sys

import tensorflow as tf


class Plan(tf.Module):
    def __init__(self, closed):
        super().__init__()
        self.scores = tf.Variable([0.4, -0.2, 0.9, 0.1], name="scores")
        self.open = 1.0 - tf.one_hot(closed, 4)

    def shares(self):
        weights = tf.exp(self.scores) * self.open
        return weights / tf.reduce_sum(weights)

    def entropy(self):
        shares = self.shares()
        return -tf.reduce_sum(shares * tf.math.log(shares))  #!


class SafePlan(Plan):
    def entropy(self):
        shares = self.shares()
        return -tf.reduce_sum(tf.math.xlogy(shares, tf.where(shares > 0.0, shares, 1.0)))


@tf.function
def improve(plan, profit):
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(plan.shares() * profit) + 0.1 * plan.entropy()
    return tape.gradient(value, plan.scores)


def sail(make, days=3):
    plan, profit = make(closed=2), tf.constant([1.0, 2.0, 5.0, 0.5])
    for _ in range(days):
        scores = improve(plan, profit)
        plan.scores.assign_add(0.1 * scores)
    return {"scores": scores}


def broken():
    return sail(Plan)


def fixed():
    return sail(SafePlan)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
