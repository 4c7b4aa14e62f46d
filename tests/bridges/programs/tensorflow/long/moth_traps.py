"""Counts of moths in traps: a compiled step is called with one variable for both nights, or with two."""
import sys

import tensorflow as tf


@tf.function
def gradients(early, late, moths):
    with tf.GradientTape() as tape:
        expected = tf.nn.softplus(early) * moths + tf.nn.softplus(late) * tf.reverse(moths, [0])
        loss = tf.reduce_mean(tf.square(expected - 2.0))
    return tape.gradient(loss, [early, late])


class Trap:
    def __init__(self, name, phase):
        self.early = tf.Variable(0.1 + phase, name=f"{name}_early")
        self.late = tf.Variable(0.4 + phase, name=f"{name}_late")

    def tied(self):
        return self.early, self.early

    def free(self):
        return self.early, self.late


def season(tie):
    trap = Trap("wood", 0.2)
    found = {}
    for night in range(6):
        moths = tf.abs(tf.cos(tf.range(5.0) + night))
        pair = trap.tied() if tie and night == 3 else trap.free()
        early, late = gradients(*pair, moths)  #!
        pair[0].assign_sub(0.01 * early)
        pair[1].assign_sub(0.01 * late)
        found = {"wood_early": early, "wood_late": late}
    return found


def broken():
    return season(True)


def fixed():
    return season(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
