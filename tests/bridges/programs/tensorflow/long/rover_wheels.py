"""Slip of a rover's wheels on sand; what physics forbids is cut off by a helper that came with the simulator."""
import sys

import numpy as np
import tensorflow as tf


class Sand:
    def __init__(self):
        self.cohesion = tf.Variable([0.4, 0.2, 0.3], name="cohesion")
        self.rolling = tf.Variable(0.15, name="rolling")

    def slip(self, loads):
        return tf.linalg.matvec(loads, self.cohesion)


def physical(slip):
    """The simulator's: slips lie between 0 and 2."""
    return np.clip(slip.numpy(), 0.0, 2.0)  #!


def physical_tensor(slip):
    return tf.clip_by_value(slip, 0.0, 2.0)


def travel(sand, loads, limits):
    slip = limits(sand.slip(loads))
    steep = tf.stop_gradient(tf.reduce_max(loads, axis=1))
    return tf.reduce_sum((1.0 - 0.3 * slip) * (1.0 - sand.rolling) / (1.0 + steep))


def drive(limits, sols=3):
    sand = Sand()
    sources = {"cohesion": sand.cohesion, "rolling": sand.rolling}
    for sol in range(sols):
        loads = 0.5 + 0.4 * tf.sin(tf.reshape(tf.range(12.0), [4, 3]) + sol)
        with tf.GradientTape() as tape:
            error = tf.square(travel(sand, loads, limits) - 1.5)
        grads = tape.gradient(error, sources)
        for name, grad in grads.items():
            if grad is not None:
                sources[name].assign_sub(0.02 * grad)
    return grads


def broken():
    return drive(physical)


def fixed():
    return drive(physical_tensor)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
