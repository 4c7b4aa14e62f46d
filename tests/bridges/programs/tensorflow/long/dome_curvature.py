"""Curvature of a dome's energy at each joint: the Hessian, row by row, then its softest directions."""
import sys

import tensorflow as tf


class Dome:
    def __init__(self, joints=8):
        self.height = tf.Variable(tf.linspace(0.2, 1.0, joints), name="height")
        self.stiffness = tf.constant([1.0 + 0.1 * joint for joint in range(joints - 1)])

    def energy(self):
        stretch = tf.sqrt(1.0 + tf.square(self.height[1:] - self.height[:-1])) - 1.1
        return tf.reduce_sum(self.stiffness * tf.square(stretch)) + 0.05 * tf.reduce_sum(tf.pow(self.height, 4))


def hessian_by_rows(dome):
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            energy = dome.energy()
        slope = inner.gradient(energy, dome.height)
        parts = tf.unstack(slope)
    rows = [outer.gradient(part, dome.height) for part in parts]  #!
    return slope, tf.stack(rows)


def hessian_at_once(dome):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            energy = dome.energy()
        slope = inner.gradient(energy, dome.height)
    return slope, outer.jacobian(slope, dome.height)


def settle(hessian, rounds=3):
    dome = Dome()
    for _ in range(rounds):
        slope, curvature = hessian(dome)
        damped = curvature + 0.5 * tf.eye(8)
        move = tf.linalg.solve(damped, slope[:, tf.newaxis])[:, 0]
        dome.height.assign_sub(0.5 * move)
    return {"height": slope}


def broken():
    return settle(hessian_by_rows)


def fixed():
    return settle(hessian_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
