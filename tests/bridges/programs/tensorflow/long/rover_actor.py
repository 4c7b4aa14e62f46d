"""A rover learns where to dig: an actor with an entropy bonus, fitted on logged sites."""
import sys

import tensorflow as tf


def ramp(shape, dtype=None):
    return 0.2 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.41), shape)


class Actor:
    def __init__(self, choices=5):
        self.policy = tf.keras.Sequential([
            tf.keras.Input([6]),
            tf.keras.layers.Dense(16, activation="tanh", kernel_initializer=ramp, name="look"),
            tf.keras.layers.Dense(choices, kernel_initializer=ramp, name="dig"),
        ], name="policy")
        self.optimizer = tf.keras.optimizers.Adam(0.01)

    def surrogate(self, sites, actions, old_log, advantage):
        log_probs = tf.nn.log_softmax(self.policy(sites))
        taken = tf.gather(log_probs, actions, batch_dims=1)
        ratio = tf.exp(taken - old_log)
        clipped = tf.clip_by_value(ratio, 0.8, 1.2)
        return -tf.reduce_mean(tf.minimum(ratio * advantage, clipped * advantage))

    def entropy(self, sites):
        logits = self.policy(sites)  #!
        probs = tf.nn.softmax(logits)
        return -tf.reduce_mean(tf.reduce_sum(probs * tf.nn.log_softmax(logits), axis=-1))

    def loss(self, sites, actions, old_log, advantage):
        return self.surrogate(sites, actions, old_log, advantage) - 0.01 * self.entropy(sites)  #~

    def learn(self, rollout):
        with tf.GradientTape() as tape:
            loss = self.loss(*rollout)
        variables = self.policy.trainable_variables
        grads = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(grads, variables))
        return dict(zip(("policy/look/kernel", "policy/dig/kernel"), grads[::2]))


class OnePassActor(Actor):
    def loss(self, sites, actions, old_log, advantage):
        log_probs = tf.nn.log_softmax(self.policy(sites))
        ratio = tf.exp(tf.gather(log_probs, actions, batch_dims=1) - old_log)
        clipped = tf.clip_by_value(ratio, 0.8, 1.2)
        gain = tf.reduce_mean(tf.minimum(ratio * advantage, clipped * advantage))
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(log_probs) * log_probs, axis=-1))
        return -gain - 0.01 * entropy


def rollout(day):
    sites = tf.sin(tf.reshape(tf.range(72.0), [12, 6]) * 0.37 + day)
    actions = tf.math.floormod(tf.range(12), 5)
    advantage = tf.cos(tf.range(12.0) + day)
    return sites, actions, tf.fill([12], -1.6), advantage


def mission(actor):
    for day in range(3):
        grads = actor.learn(rollout(float(day)))
    return grads


def broken():
    return mission(Actor())


def fixed():
    return mission(OnePassActor())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
