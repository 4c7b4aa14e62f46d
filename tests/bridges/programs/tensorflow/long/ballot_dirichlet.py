"""Shares of votes by district follow a Dirichlet distribution, whose concentrations come from a small network."""
import sys

import tensorflow as tf


def log_density(shares, concentration):
    total = tf.reduce_sum(concentration, axis=1)
    norm = tf.reduce_sum(tf.math.lgamma(concentration), axis=1) - tf.math.lgamma(total)  #!
    return tf.reduce_sum((concentration - 1.0) * tf.math.log(shares), axis=1) - norm


class Districts(tf.Module):
    def __init__(self, positive):
        super().__init__("districts")
        self.positive = positive
        grid = tf.reshape(tf.range(12.0), [4, 3])
        self.slope = tf.Variable(0.5 * tf.sin(1.3 * grid), name="slope")
        self.level = tf.Variable([0.3, -0.5, 0.2], name="level")

    def concentration(self, facts):
        return self.positive(facts @ self.slope + self.level)


def counted(count=6):
    facts = tf.reshape(tf.cos(tf.range(4.0 * count) * 0.7), [count, 4])
    votes = 2.0 + tf.reshape(tf.sin(tf.range(3.0 * count) * 1.9), [count, 3])
    return facts, votes / tf.reduce_sum(votes, axis=1, keepdims=True)


def minimize(loss_of, variables, rate, steps):
    for _ in range(steps):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(variables)
            loss = loss_of()
        grads = tape.gradient(loss, variables)
        for variable, grad in zip(variables, grads):
            variable.assign_sub(rate * grad)
    return grads


def election(positive):
    model = Districts(positive)
    facts, shares = counted()
    loss_of = lambda: -tf.reduce_mean(log_density(shares, model.concentration(facts)))
    level, slope = minimize(loss_of, [model.level, model.slope], rate=0.01, steps=3)
    return {"slope": slope, "level": level}


def broken():
    return election(tf.nn.relu)


def fixed():
    return election(lambda x: tf.nn.softplus(x) + 1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
