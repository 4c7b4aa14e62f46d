"""Sensitivities of taxi waiting times by district, asked of a persistent tape in a loop."""
import sys

import tensorflow as tf


class City:
    def __init__(self, districts):
        self.districts = districts
        angles = tf.range(float(districts * districts))
        self.coupling = tf.reshape(tf.cos(angles), [districts, districts]) / districts

    def waiting(self, taxis):
        load = tf.linalg.matvec(self.coupling, tf.exp(-taxis))
        return tf.nn.softplus(load) + 0.1 * tf.square(taxis)


class Sensitivity:
    def __init__(self, city):
        self.city = city
        self.taxis = tf.Variable(tf.linspace(0.2, 1.4, city.districts), name="taxis")

    def rows(self):
        with tf.GradientTape(persistent=True) as tape:
            waiting = self.city.waiting(self.taxis)
            parts = [waiting[k] for k in range(self.city.districts)]
        return tf.stack([tape.gradient(part, self.taxis) for part in parts])  #!

    def report(self):
        table = self.rows()
        worst = tf.argmax(tf.reduce_sum(tf.abs(table), axis=0))
        tf.debugging.assert_less(worst, tf.constant(self.city.districts, tf.int64))
        return {"taxis": table}


class JacobianSensitivity(Sensitivity):
    def rows(self):
        with tf.GradientTape() as tape:
            waiting = self.city.waiting(self.taxis)
        return tape.jacobian(waiting, self.taxis)


def broken():
    return Sensitivity(City(districts=30)).report()


def fixed():
    return JacobianSensitivity(City(districts=30)).report()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
