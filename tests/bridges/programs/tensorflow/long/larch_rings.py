"""Rings of larches: a recurrence over years that is written in Python and traced with the number of years."""
import sys

import tensorflow as tf


class Larch(tf.Module):
    def __init__(self):
        super().__init__(name="larch")
        self.grow = tf.Variable(0.8, name="grow")
        self.rest = tf.Variable(0.1, name="rest")

    def ring(self, before, rain):
        return tf.tanh(self.grow * before + self.rest * rain)


def predict(larch, rain, years):
    width, rings = tf.ones([]), []
    for year in range(years):
        width = larch.ring(width, rain[year])
        rings.append(width)
    return tf.stack(rings)


class Study:
    def __init__(self, larch, as_tensor):
        self.larch, self.as_tensor = larch, as_tensor
        self.optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function(reduce_retracing=True)
    def miss(self, rain, measured, last):
        rings = predict(self.larch, rain, 8)
        kept = tf.range(8) < last
        return tf.reduce_sum(tf.where(kept, tf.square(rings - measured), 0.0))

    def fit(self, cores):
        weights = [self.larch.grow, self.larch.rest]
        for rain, measured, last in cores:
            last = tf.constant(last) if self.as_tensor else last
            with tf.GradientTape() as tape:
                loss = self.miss(rain, measured, last)  #!
            grads = tape.gradient(loss, weights)
            self.optimizer.apply_gradients(zip(grads, weights))
        return dict(zip(("grow", "rest"), grads))


def cores(count=4):
    for core in range(count):
        rain = tf.sin(tf.range(8.0) + core)
        yield rain, 0.5 + 0.1 * rain, 5 + core


def broken():
    return Study(Larch(), False).fit(cores())


def fixed():
    return Study(Larch(), True).fit(cores())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
