"""A bakery predicts its sales of bread from whatever was measured that day, given by keyword."""
import sys

import tensorflow as tf

KNOWN = ("rain", "heat", "holiday")


class Sales:
    def __init__(self):
        self.effect = {name: tf.Variable(0.1 * (1.0 + number), name=name) for number, name in enumerate(KNOWN)}
        self.base = tf.Variable(2.0, name="base")

    def expected(self, measured):
        return self.base + tf.add_n([self.effect[name] * value for name, value in sorted(measured.items())])

    @tf.function
    def gradients(self, loaves, **measured):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.expected(measured) - loaves))
        return tape.gradient(loss, {**self.effect, "base": self.base}, unconnected_gradients="zero")


def days(complete):
    for number, names in enumerate([KNOWN[:1], KNOWN[:2], KNOWN[:1], KNOWN]):
        measured = {name: tf.cos(tf.range(6.0) + len(name)) for name in names}
        if complete:
            measured = {name: measured.get(name, tf.zeros([6])) for name in KNOWN}
        yield tf.range(6.0) * 0.2 + 2.0 + number, measured


def week(complete):
    sales = Sales()
    for loaves, measured in days(complete):
        grads = sales.gradients(loaves, **measured)  #!
        sales.base.assign_sub(0.1 * grads["base"])
    return {"base": grads["base"], "rain": grads["rain"]}


def broken():
    return week(complete=False)


def fixed():
    return week(complete=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
