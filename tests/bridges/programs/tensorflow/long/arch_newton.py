"""The thrust line of a stone arch, found by Newton's method on its energy."""
import sys

import tensorflow as tf

SPAN = 14


def energy(heights):
    padded = tf.pad(heights, [[1, 1]])
    bends = padded[2:] - 2.0 * padded[1:-1] + padded[:-2]
    weight = tf.reduce_sum(0.3 * heights + 0.05 * heights**4)
    return 5.0 * tf.reduce_sum(tf.square(bends + 0.1)) + weight


def hessian_by_rows(heights):
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            value = energy(heights)
        slope = inner.gradient(value, heights)
        parts = tf.unstack(slope)
    rows = [outer.gradient(part, heights) for part in parts]  #!
    return slope, tf.stack(rows)


def hessian_at_once(heights):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            value = energy(heights)
        slope = inner.gradient(value, heights)
    return slope, outer.jacobian(slope, heights)


def settle(hessian_of, rounds=2):
    heights = tf.Variable(0.5 * tf.sin(tf.linspace(0.1, 3.0, SPAN)), name="heights")
    for _ in range(rounds):
        slope, hessian = hessian_of(heights)
        step = tf.linalg.solve(hessian + 1e-3 * tf.eye(SPAN), slope[:, tf.newaxis])
        heights.assign_sub(tf.squeeze(step, axis=1))
    return {"heights": slope}


def broken():
    return settle(hessian_by_rows)


def fixed():
    return settle(hessian_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
