"""Water levels of canal locks; the compiled loss is given a counter of steps for its warm-up."""
import sys

import tensorflow as tf


class Locks:
    def __init__(self, counter):
        self.leak = tf.Variable(0.3, name="leak")
        self.flow = tf.Variable(1.1, name="flow")
        self.counter = counter

    def level(self, hours):
        return self.flow * tf.exp(-self.leak * hours)

    @tf.function
    def gradients(self, hours, levels, step):
        warm = tf.minimum(1.0, (tf.cast(step, tf.float32) + 1.0) / 4.0)
        with tf.GradientTape() as tape:
            loss = warm * tf.reduce_mean(tf.square(self.level(hours) - levels))
        return tape.gradient(loss, {"leak": self.leak, "flow": self.flow})


def run(counter, steps=5):
    locks = Locks(counter)
    hours = tf.linspace(0.0, 4.0, 9)
    for step in range(steps):
        grads = locks.gradients(hours, tf.exp(-0.5 * hours), locks.counter(step))  #!
        locks.leak.assign_sub(0.1 * grads["leak"])
        locks.flow.assign_sub(0.1 * grads["flow"])
    return grads


def broken():
    return run(lambda step: step)


def fixed():
    return run(lambda step: tf.constant(step))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
