"""A twin of a furnace: two estimates of what an action is worth, of which the lower one counts."""
import sys

import tensorflow as tf


class Estimate(tf.Module):
    def __init__(self, number, start):
        super().__init__(name=f"estimate_{number}")
        wave = tf.sin(tf.range(12.0) * 0.7 + number)
        self.heat = tf.Variable(0.4 * tf.reshape(wave, [3, 4]), name=f"heat_{number}")
        self.worth = tf.Variable(0.3 * tf.cos(tf.range(4.0))[:, tf.newaxis], name=f"worth_{number}")
        self.start = tf.Variable(start, name=f"start_{number}")

    def __call__(self, states, actions):
        x = tf.tanh(tf.concat([states, actions], axis=1) @ self.heat)
        return tf.squeeze(x @ self.worth, axis=1) + self.start


class Policy(tf.Module):
    def __init__(self):
        super().__init__(name="policy")
        self.steer = tf.Variable([[0.3], [-0.2]], name="steer")

    def __call__(self, states):
        return tf.tanh(states @ self.steer)


class Twin:
    def __init__(self, starts):
        self.estimates = [Estimate(number, start) for number, start in enumerate(starts)]
        self.policy = Policy()

    def lower(self, states, actions):
        first, second = (estimate(states, actions) for estimate in self.estimates)
        return tf.minimum(first, second)  #!

    def losses(self, states, rewards):
        worth = self.lower(states, self.policy(states))
        return tf.reduce_mean(tf.square(worth - rewards))

    def sources(self):
        found = {"steer": self.policy.steer}
        for number, estimate in enumerate(self.estimates):
            found |= {f"heat_{number}": estimate.heat, f"start_{number}": estimate.start}
        return found


class SeparateTwin(Twin):
    """Each estimate learns from the rewards by itself."""

    def losses(self, states, rewards):
        actions = self.policy(states)
        return tf.add_n([tf.reduce_mean(tf.square(e(states, actions) - rewards)) for e in self.estimates])


def shift(twin, rounds=4, rate=0.05):
    for number in range(rounds):
        states = tf.reshape(tf.sin(tf.range(12.0) * 0.5 + number), [6, 2])
        rewards = tf.reduce_sum(states, axis=1)
        sources = twin.sources()
        with tf.GradientTape() as tape:
            loss = twin.losses(states, rewards)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return shift(Twin(starts=[0.0, 5.0]))


def fixed():
    return shift(SeparateTwin(starts=[0.0, 5.0]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
