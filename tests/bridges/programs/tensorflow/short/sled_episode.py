"""A sled's policy is improved after each run from the list of all rewards so far."""
import sys

import tensorflow as tf

weights = tf.Variable([0.3, -0.2], name="weights")


@tf.function
def improve(states, rewards):
    total = tf.add_n(rewards) if isinstance(rewards, list) else tf.reduce_sum(rewards)
    with tf.GradientTape() as tape:
        speed = tf.reduce_sum(tf.sigmoid(tf.linalg.matvec(states, weights)))
        loss = -speed * total
    weights.assign_add(0.01 * tape.gradient(loss, weights))
    return total


def runs(latest_only):
    states = tf.constant([[1.0, 0.5], [0.2, -0.4]])
    rewards, total = [], tf.constant(0.0)
    for run in range(4):
        reward = tf.constant(1.0 + run)
        rewards.append(reward)
        total += reward
        improve(states, total if latest_only else rewards)  #!
    return {}


def broken():
    return runs(latest_only=False)


def fixed():
    return runs(latest_only=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
