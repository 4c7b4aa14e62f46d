"""Whole milligrams of three drugs are set for each patient; their effect is a smooth curve."""
import sys

import tensorflow as tf


class Ward:
    def __init__(self, doses):
        self.doses = tf.Variable(doses, name="doses")  #!
        self.half = tf.Variable([20.0, 35.0, 15.0], name="half")
        self.steep = tf.Variable(1.5, name="steep")

    def effect(self):
        given = tf.cast(self.doses, tf.float32)  #~
        share = tf.pow(given, self.steep)
        return tf.reduce_sum(share / (share + tf.pow(self.half, self.steep)))

    def sources(self):
        return {"doses": self.doses, "half": self.half, "steep": self.steep}


class Round:
    def __init__(self, ward, wanted=1.4):
        self.ward, self.wanted = ward, wanted

    def visit(self):
        with tf.GradientTape() as tape:
            missed = tf.square(self.ward.effect() - self.wanted)
            cost = missed + 1e-3 * tf.stop_gradient(tf.reduce_mean(self.ward.half))
        return tape.gradient(cost, self.ward.sources())

    def week(self, days=3):
        for _ in range(days):
            slopes = self.visit()
            for name in ("half", "steep"):
                self.ward.sources()[name].assign_sub(0.1 * slopes[name])
        return slopes


def broken():
    return Round(Ward([10, 40, 25])).week()


def fixed():
    return Round(Ward([10.0, 40.0, 25.0])).week()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
