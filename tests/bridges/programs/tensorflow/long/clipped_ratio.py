"""PPO for a balancing pole: the same batch is used for several epochs, and the ratio is clipped."""
import sys

import tensorflow as tf


class Policy(tf.Module):
    def __init__(self):
        super().__init__(name="policy")
        self.mean = tf.Variable([[0.2], [-0.1]], name="mean")
        self.log_std = tf.Variable([0.0], name="log_std")

    def log_prob(self, states, pushes):
        score = (pushes - states @ self.mean) / tf.exp(self.log_std)
        return tf.squeeze(-0.5 * score**2 - self.log_std, axis=1)


class PPO:
    def __init__(self, policy, rate, width=0.2):
        self.policy, self.rate, self.width = policy, rate, width

    def surrogate(self, states, pushes, gains, before):
        ratio = tf.exp(self.policy.log_prob(states, pushes) - before)
        return -tf.reduce_mean(tf.clip_by_value(ratio, 1.0 - self.width, 1.0 + self.width) * gains)  #!

    def learn(self, states, pushes, gains, epochs=3):
        before = tf.stop_gradient(self.policy.log_prob(states, pushes))
        sources = {"mean": self.policy.mean, "log_std": self.policy.log_std}
        for _ in range(epochs):
            with tf.GradientTape() as tape:
                loss = self.surrogate(states, pushes, gains, before)
            grads = tape.gradient(loss, sources)
            for name, grad in grads.items():
                sources[name].assign_sub(self.rate * grad)
        return grads


def balance(rate):
    states = tf.stack([1.0 + 0.1 * tf.range(5.0), 2.0 + 0.1 * tf.range(5.0)], axis=1)
    pushes = tf.reshape(3.0 + 0.1 * tf.range(5.0), [5, 1])
    return PPO(Policy(), rate).learn(states, pushes, tf.ones([5]))


def broken():
    return balance(rate=0.3)


def fixed():
    return balance(rate=1e-5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
