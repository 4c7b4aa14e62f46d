"""Releases of a reservoir through a dry year: the rule is learned through the simulated storage, day after day."""
import sys

import tensorflow as tf

DAYS = 30


class Rule(tf.Module):
    def __init__(self):
        super().__init__(name="rule")
        self.level = tf.Variable([[0.6], [-0.3], [0.2]], name="level")
        self.base = tf.Variable(0.1, name="base")

    def __call__(self, storage, inflow, demand):
        seen = tf.stack([storage, inflow, demand])[None, :]
        return tf.nn.softplus(tf.matmul(seen, self.level)[0, 0] + self.base)


class Reservoir:
    """What is stored today is what was left yesterday, so the days go one after another."""

    def __init__(self, full=5.0):
        self.full = full

    def day(self, storage, inflow, release):
        offered = storage + inflow
        given = offered * tf.tanh(release / offered)
        left = offered - given
        return self.full - tf.nn.softplus(self.full - left), given


def year(rule, reservoir, inflows, demands):
    storage, shortage = tf.constant(2.0), tf.constant(0.0)
    for inflow, demand in zip(tf.unstack(inflows), tf.unstack(demands)):
        release = rule(storage, inflow, demand)
        storage, given = reservoir.day(storage, inflow, release)
        shortage += tf.square(demand - given)
    return shortage / DAYS + 0.1 * tf.square(storage - 2.0)


def learn(rounds=3):
    rule, reservoir = Rule(), Reservoir()
    inflows = 0.5 + 0.4 * tf.sin(tf.range(float(DAYS)) * 0.2)
    demands = 0.6 + 0.2 * tf.cos(tf.range(float(DAYS)) * 0.5)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = year(rule, reservoir, inflows, demands)
        grads = tape.gradient(loss, [rule.level, rule.base])
        rule.level.assign_sub(0.05 * grads[0])
        rule.base.assign_sub(0.05 * grads[1])
    return dict(zip(["level", "base"], grads))


def broken():
    return learn()


if __name__ == "__main__":
    print(broken())
