"""Mixes inks on a press: pigments are fitted by hand, one number after the other."""
import sys

import tensorflow as tf


class Press:
    def __init__(self):
        self.paper = tf.Variable(0.9, name="paper")

    def colour(self, cyan, ochre):
        return cyan * 0.8 + tf.sqrt(ochre) * self.paper  #~

    def gloss(self, cyan):
        return tf.exp(-cyan) * self.paper


def miss(press, cyan, ochre, wanted):
    return tf.square(press.colour(cyan, ochre) - wanted) + 0.01 * press.gloss(cyan)


def unwatched(press, cyan, ochre, wanted):
    with tf.GradientTape() as tape:
        loss = miss(press, cyan, ochre, wanted)  #~
    return tape.gradient(loss, {"ochre": ochre, "paper": press.paper})


def watched(press, cyan, ochre, wanted):
    with tf.GradientTape() as tape:
        tape.watch(ochre)
        loss = miss(press, cyan, ochre, wanted)
    return tape.gradient(loss, {"ochre": ochre, "paper": press.paper})


def run(slopes_of, rounds=3):
    press = Press()
    cyan = tf.constant(0.3)
    ochre = tf.constant(0.5)  #!
    for number in range(rounds):
        slopes = slopes_of(press, cyan, ochre, 0.7 + 0.05 * number)
        press.paper.assign_sub(0.1 * slopes["paper"])
    return slopes


def broken():
    return run(unwatched)


def fixed():
    return run(watched)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
