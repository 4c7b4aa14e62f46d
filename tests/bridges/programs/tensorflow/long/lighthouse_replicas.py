"""Lighthouses seen through haze: training runs by a strategy's replicas, the check of an epoch calls the step itself."""
import sys

import tensorflow as tf


class Haze(tf.Module):
    def __init__(self):
        super().__init__("haze")
        self.thickness = tf.Variable([0.4, 0.2], name="thickness")
        self.glow = tf.Variable(0.1, name="glow")

    @tf.function
    def loss_and_slopes(self, miles, seen):
        with tf.GradientTape() as tape:
            passed = tf.exp(-tf.linalg.matvec(miles, tf.nn.softplus(self.thickness)))
            loss = tf.reduce_mean(tf.square(passed + self.glow - seen))
        return loss, tape.gradient(loss, {"thickness": self.thickness, "glow": self.glow})


def nights(count=3):
    for night in range(count):
        miles = 0.5 + tf.abs(tf.reshape(tf.sin(tf.range(12.0) + night), [6, 2]))
        yield miles, tf.exp(-0.4 * tf.reduce_sum(miles, axis=1))


def directly(strategy, haze, batch):
    with strategy.scope():
        return haze.loss_and_slopes(*batch)  #!


def by_replica(strategy, haze, batch):
    return strategy.run(haze.loss_and_slopes, args=batch)


def watch(check):
    strategy = tf.distribute.OneDeviceStrategy("/CPU:0")
    with strategy.scope():
        haze = Haze()
    for batch in nights():
        _, slopes = strategy.run(haze.loss_and_slopes, args=batch)
        haze.thickness.assign_sub(0.1 * slopes["thickness"])
        haze.glow.assign_sub(0.1 * slopes["glow"])
    loss, slopes = check(strategy, haze, next(nights(1)))
    return slopes


def broken():
    return watch(directly)


def fixed():
    return watch(by_replica)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
