"""A field of flow whose stretching is penalized by the norm of the Jacobian of each point."""
import sys

import tensorflow as tf


class Flow(tf.Module):
    def __init__(self):
        super().__init__(name="flow")
        self.inner = tf.Variable(tf.reshape(0.5 * tf.sin(tf.range(12.0)), [2, 6]), name="inner")
        self.outer = tf.Variable(tf.reshape(0.5 * tf.cos(tf.range(12.0)), [6, 2]), name="outer")

    def __call__(self, points):
        return tf.tanh(points @ self.inner) @ self.outer


def stretching(flow, points):
    with tf.GradientTape() as inner:
        inner.watch(points)
        moved = flow(points)
    return inner, moved


def penalty_outside(flow, points):
    with tf.GradientTape() as outer:
        inner, moved = stretching(flow, points)
    jacobians = inner.batch_jacobian(moved, points)  #!
    stretch = tf.reduce_mean(tf.reduce_sum(tf.square(jacobians), axis=[1, 2]))  #~
    return outer, stretch


def penalty_inside(flow, points):
    with tf.GradientTape() as outer:
        inner, moved = stretching(flow, points)
        jacobians = inner.batch_jacobian(moved, points)
        stretch = tf.reduce_mean(tf.reduce_sum(tf.square(jacobians), axis=[1, 2]))
    return outer, stretch


def fit(penalty):
    flow = Flow()
    points = tf.reshape(tf.linspace(-1.0, 1.0, 10), [5, 2])
    outer, stretch = penalty(flow, points)
    print(f"stretch {float(stretch):.3f}")
    inner, readout = outer.gradient(stretch, [flow.inner, flow.outer])
    return {"inner": inner, "outer": readout}


def broken():
    return fit(penalty_outside)


def fixed():
    return fit(penalty_inside)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
