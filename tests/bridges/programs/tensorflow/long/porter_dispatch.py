"""Sends porters to wards by a policy that is improved in the clipped way; a shift is played first, then learned from."""
import dataclasses
import sys

import keras
import tensorflow as tf

CALLS, WARDS, FACTS = 24, 4, 5


def rota(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.81 + 0.4), shape)


@dataclasses.dataclass
class Shift:
    facts: tf.Tensor
    wards: tf.Tensor
    log_probs: tf.Tensor
    gains: tf.Tensor


class Dispatcher(keras.Model):
    def __init__(self):
        super().__init__(name="dispatcher")
        self.look = keras.layers.Dense(12, "tanh", kernel_initializer=rota, name="look")
        self.ward = keras.layers.Dense(WARDS, kernel_initializer=rota, name="ward")

    def call(self, facts):
        return self.ward(self.look(facts))  #~

    def log_prob(self, facts, wards):
        logits = tf.nn.log_softmax(self(facts))  #~
        return tf.gather(logits, wards, batch_dims=1)  #~


def play(policy):
    facts = tf.reshape(tf.cos(tf.range(float(CALLS * FACTS)) * 0.31), [CALLS, FACTS])
    wards = tf.range(CALLS) % WARDS
    waits = tf.abs(facts[:, 0] - tf.cast(wards, tf.float32) / WARDS)
    gains = tf.reduce_mean(waits) - waits
    return Shift(facts, wards, policy.log_prob(facts, wards), gains / (tf.math.reduce_std(gains) + 1e-6))  #!


class Learner:
    def __init__(self, policy, replayed):
        self.policy, self.replayed = policy, replayed
        self.optimizer = keras.optimizers.Adam(3e-3)

    def surrogate(self, shift):
        fresh = self.policy.log_prob(shift.facts, shift.wards) if self.replayed else shift.log_probs
        ratio = tf.exp(fresh - tf.stop_gradient(shift.log_probs))
        clipped = tf.clip_by_value(ratio, 0.8, 1.2)
        return -tf.reduce_mean(tf.minimum(ratio * shift.gains, clipped * shift.gains))

    def learn(self, shift):
        weights = self.policy.trainable_variables
        with tf.GradientTape() as tape:  #~
            loss = self.surrogate(shift)
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients((g, w) for g, w in zip(grads, weights) if g is not None) if any(
            g is not None for g in grads
        ) else None
        return loss, grads


def hospital(replayed):
    policy = Dispatcher()
    learner = Learner(policy, replayed)
    for _ in range(2):
        loss, grads = learner.learn(play(policy))
    return {w.path: g for w, g in zip(policy.trainable_variables, grads)}


def broken():
    return hospital(replayed=False)


def fixed():
    return hospital(replayed=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
