"""Rigs a kite for the worst of several winds, with a different sail for each of two of them."""
import sys

import tensorflow as tf


class Kite:
    def __init__(self):
        self.light_sail = tf.Variable([0.5, 0.2], name="light_sail")
        self.storm_sail = tf.Variable([0.3, 0.9], name="storm_sail")
        self.tail = tf.Variable(0.4, name="tail")

    def sway(self, winds, sail):
        return tf.reduce_mean(tf.square(tf.linalg.matvec(winds, sail) - self.tail))

    def risks(self, breeze, gale):
        return tf.stack([self.sway(breeze, self.light_sail), self.sway(gale, self.storm_sail)])


def worst(risks):
    return tf.reduce_max(risks)  #!


def nearly_worst(risks):
    return tf.reduce_logsumexp(risks)


def rig(reduce, flights=4):
    kite = Kite()
    breeze = 0.3 * tf.sin(tf.reshape(tf.range(10.0), [5, 2]))
    gale = 3.0 + tf.cos(tf.reshape(tf.range(10.0), [5, 2]))
    sources = {"light_sail": kite.light_sail, "storm_sail": kite.storm_sail, "tail": kite.tail}

    @tf.function
    def flight():
        with tf.GradientTape() as tape:
            risk = reduce(kite.risks(breeze, gale))
        return tape.gradient(risk, sources)

    for _ in range(flights):
        grads = flight()
        for name, source in sources.items():
            source.assign_sub(0.001 * grads[name])
    return grads


def broken():
    return rig(worst)


def fixed():
    return rig(nearly_worst)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
