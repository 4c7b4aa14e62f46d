"""A pilot whose values are learned beside a slow copy; the copy follows through one compiled update."""
import sys

import tensorflow as tf


@tf.function
def follow(slow, fast):
    for s, f in zip(slow, fast):
        s.assign(0.9 * s + 0.1 * f)


class Values:
    def __init__(self, prefix):
        grid = tf.reshape(tf.range(8.0), [4, 2])
        self.kernel = tf.Variable(tf.sin(grid), name=f"{prefix}_kernel")
        self.bias = tf.Variable(tf.zeros([2]), name=f"{prefix}_bias")

    def __call__(self, states):
        return states @ self.kernel + self.bias

    def variables(self):
        return [self.kernel, self.bias]


def td_error(fast, slow, states, rewards):
    future = tf.reduce_max(slow(tf.roll(states, -1, axis=0)), axis=1)
    target = rewards + 0.9 * tf.stop_gradient(future)
    return tf.reduce_mean(tf.square(fast(states)[:, 0] - target))


def fly(warm_start, steps=3):
    fast, slow = Values("fast"), Values("slow")
    states = tf.reshape(tf.cos(tf.range(24.0)), [6, 4])
    rewards = tf.sin(tf.range(6.0))
    warm_start(fast, slow)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = td_error(fast, slow, states, rewards)
        kernel, bias = tape.gradient(loss, fast.variables())
        fast.kernel.assign_sub(0.1 * kernel)
        fast.bias.assign_sub(0.1 * bias)
        follow(slow.variables(), fast.variables())  #!
    return {"fast_kernel": kernel, "fast_bias": bias}


def broken():
    return fly(lambda fast, slow: follow(slow.variables(), slow.variables()))


def fixed():
    return fly(lambda fast, slow: follow(slow.variables(), fast.variables()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
