"""REINFORCE for an elevator: episodes are collected, returns computed, then the policy is improved."""
import sys

import tensorflow as tf


class Policy:
    def __init__(self):
        self.weights = tf.Variable(tf.reshape(tf.sin(tf.range(6.0)), [3, 2]), name="policy_weights")
        self.bias = tf.Variable([0.1, -0.1], name="policy_bias")

    def log_probabilities(self, observations):
        return tf.nn.log_softmax(tf.matmul(observations, self.weights) + self.bias)


class Episode:
    def __init__(self):
        self.observations, self.actions, self.rewards, self.log_probs = [], [], [], []

    def returns(self, discount=0.95):
        total, result = 0.0, []
        for reward in reversed(self.rewards):
            total = reward + discount * total
            result.insert(0, total)
        return tf.constant(result)


def observe(step):
    return tf.constant([[0.1 * step, 1.0 - 0.2 * step, 0.5]])


def play(policy, steps=5):
    episode = Episode()
    for step in range(steps):
        observation = observe(step)
        log_probs = policy.log_probabilities(observation)  #!
        action = int(tf.argmax(log_probs, axis=1)[0])
        episode.observations.append(observation)
        episode.actions.append(action)
        episode.log_probs.append(log_probs[0, action])  #~
        episode.rewards.append(1.0 if (step + action) % 2 == 0 else -0.5)
    return episode


def improve(policy, log_probs_of):
    episode = play(policy)
    with tf.GradientTape() as tape:
        chosen = log_probs_of(policy, episode)
        loss = -tf.reduce_sum(chosen * episode.returns())
    grads = tape.gradient(loss, [policy.weights, policy.bias])
    return dict(zip(["policy_weights", "policy_bias"], grads))


def remembered(policy, episode):
    return tf.stack(episode.log_probs)


def recomputed(policy, episode):
    table = policy.log_probabilities(tf.concat(episode.observations, axis=0))
    return tf.gather(table, episode.actions, batch_dims=1)


def broken():
    return improve(Policy(), remembered)


def fixed():
    return improve(Policy(), recomputed)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
