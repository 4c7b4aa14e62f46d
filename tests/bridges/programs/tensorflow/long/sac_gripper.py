"""Soft actor-critic for a gripper: actions are squashed by tanh and kept in a replay memory."""
import sys

import numpy as np
import tensorflow as tf


class Memory:
    def __init__(self, size=12):
        steps = np.arange(size, dtype=np.float32)
        self.states = np.stack([np.sin(steps * 0.7), np.cos(steps * 0.4)], axis=1)
        self.actions = np.clip(1.6 * np.sin(steps), -1.0, 1.0)[:, None].astype(np.float32)

    def batches(self, size=4):
        for first in range(0, len(self.states), size):
            yield tf.constant(self.states[first : first + size]), tf.constant(self.actions[first : first + size])


class Actor(tf.Module):
    def __init__(self, limit=None):
        super().__init__()
        self.limit = limit
        self.mean_kernel = tf.Variable([[0.4], [-0.2]], name="mean_kernel")
        self.spread_kernel = tf.Variable([[0.1], [0.3]], name="spread_kernel")

    def unsquash(self, actions):
        if self.limit is not None:
            actions = tf.clip_by_value(actions, -self.limit, self.limit)
        return tf.atanh(actions)  #!

    def log_prob(self, states, actions):
        mean = states @ self.mean_kernel
        log_std = tf.clip_by_value(states @ self.spread_kernel, -5.0, 2.0)
        raw = self.unsquash(actions)
        normal = -0.5 * tf.square((raw - mean) / tf.exp(log_std)) - log_std
        return normal - tf.math.log(1.0 - tf.square(tf.tanh(raw)) + 1e-6)


def improve(actor, rate=0.01):
    for states, actions in Memory().batches():
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(actor.log_prob(states, actions))
        grads = tape.gradient(loss, {"mean_kernel": actor.mean_kernel, "spread_kernel": actor.spread_kernel})
        actor.mean_kernel.assign_sub(rate * grads["mean_kernel"])
        actor.spread_kernel.assign_sub(rate * grads["spread_kernel"])
    return {"mean_kernel": grads["mean_kernel"]}


def broken():
    return improve(Actor())


def fixed():
    return improve(Actor(limit=1.0 - 1e-4))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
