"""Salinity by three buoys, each with an offset of its own; readings that a buoy marks as bad are left out."""
import sys

import keras
import tensorflow as tf


class Offsets(tf.Module):
    def __init__(self):
        super().__init__(name="offsets")
        self.north = tf.Variable(0.1, name="north")
        self.south = tf.Variable(-0.2, name="south")
        self.slope = tf.Variable(0.9, name="slope")

    def corrected(self, readings):
        return {
            "north": self.slope * readings["north"] + self.north,
            "south": self.slope * readings["south"] + self.south,
        }


class Fit:
    def __init__(self, offsets, bad_above):
        self.offsets, self.bad_above = offsets, bad_above
        self.optimizer = keras.optimizers.SGD(0.1)

    def miss(self, corrected, readings, truth):
        total = 0.0
        for name, values in corrected.items():
            good = readings[name] < self.bad_above
            error = tf.where(good, values - truth, 0.0)  #!
            total += tf.reduce_sum(tf.square(error)) / float(len(truth))
        return total

    def day(self, readings, truth):
        weights = {"north": self.offsets.north, "south": self.offsets.south, "slope": self.offsets.slope}
        with tf.GradientTape() as tape:
            loss = self.miss(self.offsets.corrected(readings), readings, truth)
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients([(grads[name], weights[name]) for name in weights])
        return grads


def days(count=3):
    for day in range(count):
        truth = 33.0 + tf.sin(tf.range(10.0) * 0.6 + float(day))
        yield {"north": truth - 0.5, "south": truth + 9.0}, truth


def calibrate(bad_above):
    fit = Fit(Offsets(), bad_above)
    for readings, truth in days():
        grads = fit.day({name: values / 35.0 for name, values in readings.items()}, truth / 35.0)
    return grads


def broken():
    return calibrate(bad_above=1.1)


def fixed():
    return calibrate(bad_above=2.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
