"""Pressure of a cider press follows the apples; the rate at which the pressure is taken back is learned as well."""
import sys

import tensorflow as tf


class Press:
    def __init__(self):
        self.pressure = tf.Variable([1.0, 1.4, 0.8], name="start")
        self.wear = tf.Variable(0.3, name="wear")
        self.leak = tf.Variable(0.05, name="leak")

    def juice(self, pressure, apples):
        return tf.reduce_sum(apples * tf.tanh(pressure), axis=1) * tf.exp(-self.wear) - self.leak


def baskets(day):
    apples = tf.reshape(tf.abs(tf.sin(0.4 * tf.range(15.0) + day)), [5, 3])
    return apples, 0.6 * tf.reduce_sum(apples, axis=1)


class Autumn:
    """After each day the pressure is taken back a little."""

    def __init__(self):
        self.press = Press()

    def rest(self, pressure):
        return pressure * 0.95  #!

    def day(self, number, pressure):
        apples, wanted = baskets(float(number))
        with tf.GradientTape() as tape:
            juice = self.press.juice(pressure, apples)  #~
            loss = tf.reduce_mean(tf.square(juice - wanted))
        return tape.gradient(loss, [pressure, self.press.wear, self.press.leak])

    def run(self, days=4):
        pressure = self.press.pressure
        for number in range(days):
            slopes = self.day(number, pressure)
            for source, slope in zip([self.press.wear, self.press.leak], slopes[1:]):
                source.assign_sub(0.1 * slope)
            if number + 1 < days:
                pressure = self.rest(pressure)  #~
        return dict(zip(["pressure", "wear", "leak"], slopes))


class AssigningAutumn(Autumn):
    def rest(self, pressure):
        pressure.assign(pressure * 0.95)
        return pressure


def broken():
    return Autumn().run()


def fixed():
    return AssigningAutumn().run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
