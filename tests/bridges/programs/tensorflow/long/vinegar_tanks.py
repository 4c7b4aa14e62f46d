"""Acid in vinegar tanks: a plan holds the doses as a dataclass, whose total is used in the loss."""
import dataclasses
import sys

import tensorflow as tf


@dataclasses.dataclass
class Plan:
    mother: tf.Variable
    oxygen: tf.Variable
    exact: bool

    @property
    def hours(self):
        hours = 20.0 + 4.0 * self.oxygen
        return hours if self.exact else float(hours)  #!

    @property
    def strength(self):
        return 1.0 - tf.exp(-self.mother * self.hours / 24.0)  #~


class Tank:
    def __init__(self, litres, wanted):
        self.litres, self.wanted = litres, wanted

    def miss(self, plan):
        acid = self.litres * plan.strength
        return tf.square(acid / (self.litres + 0.1 * plan.mother) - self.wanted)


def tanks():
    for index in range(5):
        yield Tank(litres=100.0 + 10.0 * index, wanted=0.5 + 0.02 * index)


def brew(exact, rounds=3):
    plan = Plan(tf.Variable(0.8, name="mother"), tf.Variable(0.3, name="oxygen"), exact)
    sources = {"mother": plan.mother, "oxygen": plan.oxygen}
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.add_n([tank.miss(plan) for tank in tanks()])
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            if grads[name] is not None:
                source.assign_sub(0.1 * grads[name])
    return grads


def broken():
    return brew(exact=False)


def fixed():
    return brew(exact=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
