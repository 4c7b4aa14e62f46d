"""The weight of a hive over the year, fitted by an Adam that is written out, in one compiled step."""
import sys

import tensorflow as tf


class Adam(tf.Module):
    def __init__(self, variables, rate=0.05, small=0.0):
        super().__init__("adam")
        self.variables_of, self.rate, self.small = variables, rate, small
        self.mean = [tf.Variable(tf.zeros_like(v), name="mean") for v in variables]
        self.square = [tf.Variable(tf.zeros_like(v), name="square") for v in variables]
        self.rounds = tf.Variable(0.0, name="rounds")

    def apply(self, grads):
        self.rounds.assign_add(1.0)
        for variable, grad, mean, square in zip(self.variables_of, grads, self.mean, self.square):
            mean.assign(0.9 * mean + 0.1 * grad)
            square.assign(0.99 * square + 0.01 * tf.square(grad))
            first = mean / (1.0 - 0.9**self.rounds)
            second = square / (1.0 - 0.99**self.rounds)
            variable.assign_sub(self.rate * first / (tf.sqrt(second) + self.small))  #!


class Hive(tf.Module):
    def __init__(self, small):
        super().__init__("hive")
        self.season = tf.Variable([0.4, -0.2, 0.1, 0.3], name="season")
        self.base = tf.Variable(0.5, name="base")
        self.optimizer = Adam([self.season, self.base], small=small)

    def weight(self, days):
        """Waves of the year; the fourth, of a leap year, is not in these days."""
        angle = days[:, None] * tf.constant([1.0, 2.0, 3.0, 4.0])
        present = tf.constant([1.0, 1.0, 1.0, 0.0])
        return self.base + tf.linalg.matvec(tf.sin(angle) * present, self.season)

    @tf.function
    def step(self, days, measured):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.weight(days) - measured))
        grads = tape.gradient(loss, [self.season, self.base])
        self.optimizer.apply(grads)
        return grads


def year(small, rounds=4):
    hive = Hive(small)
    days = tf.linspace(0.0, 6.0, 12)
    for _ in range(rounds):
        season, base = hive.step(days, 1.0 + tf.sin(days))
    return {"season": season, "base": base}


def broken():
    return {"base": year(small=0.0)["base"]}


def fixed():
    return {"base": year(small=1e-7)["base"]}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
