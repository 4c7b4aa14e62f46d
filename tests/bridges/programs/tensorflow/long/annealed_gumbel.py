"""Chooses delivery slots by a relaxed categorical distribution whose temperature falls."""
import sys

import tensorflow as tf


class Slots(tf.Module):
    def __init__(self):
        super().__init__(name="slots")
        self.preference = tf.Variable([[0.2, -0.1, 0.4], [0.6, 0.1, -0.3]], name="preference")
        self.cost = tf.constant([1.0, 0.4, 0.8])

    def relaxed(self, temperature):
        noise = tf.reshape(tf.cos(tf.range(6.0)), [2, 3])
        return tf.nn.softmax((self.preference + noise) / temperature)


class Planner:
    def __init__(self, temperature_type):
        self.slots = Slots()
        self.as_temperature = temperature_type

    @tf.function
    def improve(self, temperature, rate=0.1):
        with tf.GradientTape() as tape:
            chosen = self.slots.relaxed(temperature)
            cost = tf.reduce_sum(chosen * self.slots.cost)
        gradient = tape.gradient(cost, self.slots.preference)
        self.slots.preference.assign_sub(rate * gradient)
        return gradient

    def plan(self, rounds):
        temperature = 2.0
        for _ in range(rounds):
            gradient = self.improve(self.as_temperature(temperature))  #!
            temperature = max(0.5, temperature / 2.0)  #~
        return {"preference": gradient}


def broken():
    return Planner(float).plan(rounds=5)


def fixed():
    return Planner(tf.constant).plan(rounds=5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
