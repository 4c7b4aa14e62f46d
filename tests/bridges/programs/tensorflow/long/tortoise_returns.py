"""A tortoise's policy gradient whose discount is learned as well, from the return that it promises."""
import sys

import tensorflow as tf


class Tortoise(tf.Module):
    def __init__(self):
        super().__init__("tortoise")
        start = tf.reshape(tf.sin(tf.range(6.0)), [3, 2])
        self.policy = tf.Variable(0.5 * start, name="policy")
        self.value = tf.Variable([0.1, -0.2, 0.3], name="value")
        self.horizon = tf.Variable(1.2, name="horizon")

    def log_probabilities(self, states, actions):
        logits = tf.linalg.matmul(states, self.policy)
        chosen = tf.one_hot(actions, 2)
        return tf.reduce_sum(chosen * tf.nn.log_softmax(logits), axis=1)


def rewards_to_go(rewards, discount):
    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + float(discount) * total  #!
        returns.insert(0, total)
    return tf.constant(returns)


def rewards_to_go_as_tensors(rewards, discount):
    total, returns = tf.constant(0.0), []
    for reward in reversed(rewards):
        total = reward + discount * total
        returns.insert(0, total)
    return tf.stack(returns)


def journey(length=7):
    states = tf.reshape(tf.cos(tf.range(3.0 * length) * 0.4), [length, 3])
    actions = [k * k % 2 for k in range(length)]
    return states, tf.constant(actions), [0.5 + 0.1 * k for k in range(length)]


def improve(returns_of):
    tortoise = Tortoise()
    states, actions, rewards = journey()
    with tf.GradientTape() as tape:
        returns = returns_of(rewards, tf.sigmoid(tortoise.horizon))
        expected = tf.linalg.matvec(states, tortoise.value)
        advantage = returns - tf.stop_gradient(expected)
        actor = -tf.reduce_mean(tortoise.log_probabilities(states, actions) * advantage)
        critic = tf.reduce_mean(tf.square(returns - expected))
        loss = actor + 0.5 * critic
    sources = {variable.name.split(":")[0]: variable for variable in tortoise.trainable_variables}
    return tape.gradient(loss, sources)


def broken():
    return improve(rewards_to_go)


def fixed():
    return improve(rewards_to_go_as_tensors)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
