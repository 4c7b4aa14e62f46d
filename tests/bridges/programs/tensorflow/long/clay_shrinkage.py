"""How clay shrinks while it dries: moisture moves between layers, hour by hour, and two constants are fitted."""
import sys

import tensorflow as tf


class Slab(tf.Module):
    def __init__(self, layers=8):
        super().__init__(name="slab")
        self.spread = tf.Variable(0.15, name="spread")
        self.loss_rate = tf.Variable(0.05, name="loss_rate")
        self.start = tf.ones([layers])

    def hour(self, moisture):
        left = tf.concat([moisture[:1], moisture[:-1]], axis=0)
        right = tf.concat([moisture[1:], moisture[-1:] * (1.0 - self.loss_rate)], axis=0)
        return moisture + self.spread * (left - 2.0 * moisture + right)

    def hours(self, count):
        moisture = self.start
        for _ in range(count):
            moisture = self.hour(moisture)  #!
            yield moisture

    def last(self, count):
        *_, moisture = self.hours(count)
        return moisture

    def last_in_graph(self, count):
        return tf.while_loop(lambda hour, _: hour < count, lambda hour, moisture: (hour + 1, self.hour(moisture)),
                             (tf.constant(0), self.start))[1]


def shrinkage(moisture):
    return tf.reduce_mean(1.0 - moisture) * 0.08


def fit(dry, rounds=3, count=72):
    slab = Slab()

    @tf.function
    def step(measured):
        with tf.GradientTape() as tape:
            loss = tf.square(shrinkage(dry(slab, count)) - measured)  #~
        grads = tape.gradient(loss, (slab.spread, slab.loss_rate))
        slab.spread.assign_sub(10.0 * grads[0])
        slab.loss_rate.assign_sub(10.0 * grads[1])
        return grads

    for _ in range(rounds):
        spread, loss_rate = step(tf.constant(0.021))
    return {"spread": spread, "loss_rate": loss_rate}


def broken():
    return fit(Slab.last)


def fixed():
    return fit(Slab.last_in_graph)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
