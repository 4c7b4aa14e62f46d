"""Draws samples of a melt by Hamiltonian steps; each trajectory is accepted or not."""
import math

import tensorflow as tf

ore = tf.reshape(tf.cos(tf.range(12.0)), [6, 2])
iron = tf.constant([0.2, 0.9, 0.4, 0.1, 0.8, 0.5])


def energy(melt):
    return tf.reduce_sum(tf.square(tf.linalg.matvec(ore, melt) - iron)) + 0.1 * tf.reduce_sum(tf.square(melt))


def force(melt):
    with tf.GradientTape() as tape:
        tape.watch(melt)
        level = energy(melt)
    return level, tape.gradient(level, melt)


def trajectory(melt, momentum, size=0.1, steps=5):
    level, slope = force(melt)
    for _ in range(steps):
        momentum = momentum - 0.5 * size * slope
        melt = melt + size * momentum
        level, slope = force(melt)
        momentum = momentum - 0.5 * size * slope
    return melt, level + 0.5 * tf.reduce_sum(tf.square(momentum))


def broken():
    melt, taken = tf.zeros([2]), 0
    for number in range(20):
        momentum = tf.stack([math.sin(1.7 * number + 1.0), math.cos(2.1 * number)])
        before = energy(melt) + 0.5 * tf.reduce_sum(tf.square(momentum))
        proposal, after = trajectory(melt, momentum)
        if math.exp(min(0.0, float(before - after))) > abs(math.sin(5.3 * number)):
            melt, taken = proposal, taken + 1
    print("accepted", taken)
    return {"melt": force(melt)[1]}


if __name__ == "__main__":
    print(broken())
