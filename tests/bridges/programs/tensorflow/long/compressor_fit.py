"""Levenberg-Marquardt for the curve of a compressor: residuals are differentiated, then a small system is solved."""
import sys

import tensorflow as tf


class Curve:
    def __init__(self):
        self.gain = tf.Variable(1.1, name="gain")
        self.knee = tf.Variable(0.4, name="knee")
        self.slope = tf.Variable(2.0, name="slope")

    def parts(self):
        return [self.gain, self.knee, self.slope]

    def __call__(self, flow):
        return self.gain * tf.tanh(self.slope * flow) - self.knee * tf.square(flow)

    def shift(self, step):
        for part, change in zip(self.parts(), tf.unstack(step)):
            part.assign_sub(change)


class Solver:
    def __init__(self, curve, damping=0.1):
        self.curve, self.damping = curve, damping

    def residuals(self, flow, measured):
        return self.curve(flow) - measured

    def sensitivity(self, flow, measured):
        rows = []
        with tf.GradientTape(persistent=True) as tape:  #~
            missed = tf.unstack(self.residuals(flow, measured))  #~
        for one in missed:
            rows.append(tf.stack(tape.gradient(one, self.curve.parts())))  #!
        return tf.stack(missed), tf.stack(rows)

    def iterate(self, flow, measured):
        missed, table = self.sensitivity(flow, measured)
        normal = tf.matmul(table, table, transpose_a=True) + self.damping * tf.eye(3)
        right = tf.linalg.matvec(table, missed, transpose_a=True)
        step = tf.linalg.solve(normal, right[:, tf.newaxis])[:, 0]
        self.curve.shift(step)
        return table


class WholeSolver(Solver):
    def sensitivity(self, flow, measured):
        with tf.GradientTape() as tape:
            missed = self.residuals(flow, measured)
        return missed, tf.stack(tape.jacobian(missed, self.curve.parts()), axis=1)


def fit(kind, rounds=3):
    flow = tf.linspace(0.05, 1.4, 18)
    measured = 1.3 * tf.tanh(1.7 * flow) - 0.31 * tf.square(flow) + 0.02 * tf.sin(9.0 * flow)
    curve = Curve()
    solver = kind(curve)
    for _ in range(rounds):
        table = solver.iterate(flow, measured)
    last = dict(zip(["gain", "knee", "slope"], tf.unstack(table[-1])))
    return last


def broken():
    return fit(Solver)


def fixed():
    return fit(WholeSolver)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
