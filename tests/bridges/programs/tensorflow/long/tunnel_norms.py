"""Fits the leakage of a tunnel's lining; gradients are brought to a norm by NumPy, as in the author's older code."""
import sys

import numpy as np
import tensorflow as tf


class Lining:
    def __init__(self):
        self.seams = tf.Variable(0.3 * tf.sin(tf.range(7.0)), name="seams")
        self.pressure = tf.Variable(0.8, name="pressure")

    def leak(self, rings):
        return tf.nn.softplus(tf.linalg.matvec(rings, self.seams) * self.pressure)


class Update:
    def __init__(self, most=1.0, rate=0.1):
        self.most, self.rate = most, rate

    def bounded(self, grads):
        arrays = [grad.numpy() for grad in grads]  #!
        norm = np.sqrt(sum(np.square(array).sum() for array in arrays))
        return [tf.constant(array * min(1.0, self.most / norm)) for array in arrays]

    def __call__(self, variables, grads):
        for variable, grad in zip(variables, self.bounded(grads)):
            variable.assign_sub(self.rate * grad)


class TensorUpdate(Update):
    def bounded(self, grads):
        return tf.clip_by_global_norm(grads, self.most)[0]


def inspect(update, nights=4):
    lining = Lining()
    variables = [lining.seams, lining.pressure]
    for night in range(nights):
        rings = tf.abs(tf.cos(tf.reshape(tf.range(35.0), [5, 7]) * 0.4 + night))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(lining.leak(rings) - 2.0))
        grads = tape.gradient(loss, variables)
        update(variables, grads)
    return {"seams": grads[0], "pressure": grads[1]}


def broken():
    return inspect(Update())


def fixed():
    return inspect(TensorUpdate())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
