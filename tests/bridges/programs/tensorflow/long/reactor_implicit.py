"""Chemistry of a stirred reactor by implicit Euler: each step solves for the new concentrations by Newton's method."""
import sys

import tensorflow as tf

SPECIES = 8


class Reactor:
    def __init__(self):
        self.rates = tf.constant(0.3 + 0.1 * tf.sin(tf.range(float(SPECIES))))

    def change(self, amounts):
        made = self.rates * amounts * tf.roll(amounts, 1, axis=0)
        return tf.roll(made, 1, axis=0) - made + 0.05 * (1.0 - amounts)


def residual(reactor, old, new, dt):
    return new - old - dt * reactor.change(new)


def tangent_rows(reactor, old, new, dt):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(new)
        left = residual(reactor, old, new, dt)
        parts = [left[k] for k in range(SPECIES)]
    rows = [tape.gradient(part, new) for part in parts]  #!
    del tape
    return left, tf.stack(rows)


def tangent_whole(reactor, old, new, dt):
    with tf.GradientTape() as tape:
        tape.watch(new)
        left = residual(reactor, old, new, dt)
    return left, tape.jacobian(left, new)


def advance(reactor, amounts, tangent, dt=0.2, iterations=2):
    new = amounts
    for _ in range(iterations):
        left, matrix = tangent(reactor, amounts, new, dt)  #~
        new = new - tf.linalg.solve(matrix, left[:, tf.newaxis])[:, 0]
    return new, matrix


def run(tangent):
    reactor = Reactor()
    amounts = 1.0 + 0.2 * tf.cos(tf.range(float(SPECIES)))
    for minute in range(3):
        amounts, matrix = advance(reactor, amounts, tangent)
        if minute == 2:
            print("total", float(tf.reduce_sum(amounts)))
    return {"new": matrix[0]}


def broken():
    return run(tangent_rows)


def fixed():
    return run(tangent_whole)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
