"""A pump is steered by a policy whose action is limited; trained through a model of the tank."""
import sys

import tensorflow as tf


class Tank:
    """Level after a step of pumping in and leaking out."""

    def __init__(self, leak=0.1, step=0.5):
        self.leak, self.step = leak, step

    def next(self, level, action):
        return level + self.step * (action - self.leak * level)


class Policy(tf.Module):
    def __init__(self, gain):
        super().__init__(name="policy")
        self.gain = tf.Variable(gain, name="gain")
        self.target = tf.Variable(2.0, name="target")

    def act(self, level):
        wanted = self.gain * (self.target - level)
        return tf.clip_by_value(wanted, 0.0, 1.0)  #!


def rollout(policy, tank, steps):
    level, cost = tf.constant(0.2), tf.constant(0.0)
    for _ in range(steps):
        action = policy.act(level)
        level = tank.next(level, action)
        cost += tf.square(level - 1.5) + 0.01 * tf.square(action)
    return cost / steps


def train(gain, rounds=2):
    policy, tank = Policy(gain), Tank()
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            cost = rollout(policy, tank, steps=3)
        grads = tape.gradient(cost, {"gain": policy.gain, "target": policy.target})
        policy.gain.assign_sub(0.05 * grads["gain"])
        policy.target.assign_sub(0.05 * grads["target"])
    return grads


def broken():
    return train(gain=25.0)


def fixed():
    return train(gain=0.4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
