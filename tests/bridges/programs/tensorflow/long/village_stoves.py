"""Federated averaging over the stoves of a village: each house trains a copy and sends the copy's weights."""
import sys

import tensorflow as tf


class Stove(tf.Module):
    def __init__(self, weights=None):
        super().__init__(name="stove")
        start = weights or [tf.reshape(0.3 * tf.cos(tf.range(6.0)), [3, 2]), tf.constant([[0.4], [-0.2]])]
        self.inner = tf.Variable(start[0], name="inner")
        self.outer = tf.Variable(start[1], name="outer")

    def __call__(self, draught):
        return tf.tanh(draught @ self.inner) @ self.outer


class House:
    def __init__(self, number):
        self.draught = tf.reshape(tf.sin(0.5 * tf.range(24.0) + number), [8, 3])
        self.heat = tf.reduce_mean(self.draught, axis=1, keepdims=True)
        self.last = None

    def loss(self, stove):
        return tf.reduce_mean(tf.square(stove(self.draught) - self.heat))

    def slopes(self, stove):
        with tf.GradientTape() as tape:
            loss = self.loss(stove)
        return tape.gradient(loss, [stove.inner, stove.outer])

    def train(self, stove, visits=2):
        @tf.function
        def visit(draught, heat):  #~
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(stove(draught) - heat))
            return tape.gradient(loss, [stove.inner, stove.outer])

        for _ in range(visits):
            slopes = visit(self.draught, self.heat)  #!
            stove.inner.assign_sub(0.1 * slopes[0])
            stove.outer.assign_sub(0.1 * slopes[1])
        return [stove.inner.value(), stove.outer.value()]


class Village:
    def __init__(self, houses=3):
        self.houses = [House(float(number)) for number in range(houses)]
        self.stove = Stove()
        self.visit = None

    def local(self, house):
        return house.train(self.stove_for(house))

    def stove_for(self, house):
        return Stove([self.stove.inner.value(), self.stove.outer.value()])

    def round(self):
        sent = [self.local(house) for house in self.houses]
        self.stove.inner.assign(tf.add_n([weights[0] for weights in sent]) / len(sent))
        self.stove.outer.assign(tf.add_n([weights[1] for weights in sent]) / len(sent))

    def winter(self, rounds=1):
        for _ in range(rounds):
            self.round()
        return dict(zip(["inner", "outer"], self.houses[0].slopes(self.stove)))


class SharingVillage(Village):
    """One working copy and one compiled visit serve all houses."""

    def __init__(self, houses=3):
        super().__init__(houses)
        self.copy = Stove()

        @tf.function
        def visit(draught, heat):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self.copy(draught) - heat))
            return tape.gradient(loss, [self.copy.inner, self.copy.outer])

        self.visit = visit

    def local(self, house):
        self.copy.inner.assign(self.stove.inner)
        self.copy.outer.assign(self.stove.outer)
        for _ in range(2):
            slopes = self.visit(house.draught, house.heat)
            self.copy.inner.assign_sub(0.1 * slopes[0])
            self.copy.outer.assign_sub(0.1 * slopes[1])
        return [self.copy.inner.value(), self.copy.outer.value()]


def broken():
    return Village().winter()


def fixed():
    return SharingVillage().winter()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
