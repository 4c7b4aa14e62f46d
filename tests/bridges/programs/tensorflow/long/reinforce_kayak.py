"""REINFORCE for a kayak: a Keras policy, whole episodes, returns counted back from the end."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(tf.sin(tf.range(float(count)) + 0.5), shape)


class Policy(keras.Model):
    def __init__(self):
        super().__init__(name="policy")
        self.hidden = keras.layers.Dense(5, activation="relu", kernel_initializer=ramp, name="hidden")
        self.strokes = keras.layers.Dense(3, kernel_initializer=ramp, name="strokes")

    def call(self, water):
        return self.strokes(self.hidden(water))


class Log:
    """How likely the strokes that were taken are."""

    def __init__(self, fused):
        self.fused = fused

    def likelihood(self, logits, taken):
        chosen = tf.one_hot(taken, 3)
        if self.fused:
            return tf.reduce_sum(tf.nn.log_softmax(logits) * chosen, axis=1)
        chances = tf.nn.softmax(logits)
        return tf.reduce_sum(tf.math.log(chances) * chosen, axis=1)  #!


def returns(rewards, discount=0.9):
    found, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + discount * total
        found.insert(0, total)
    found = tf.constant(found)
    return (found - tf.reduce_mean(found)) / (tf.math.reduce_std(found) + 1e-6)


def episode(number):
    """Water of growing speed: the later episodes are in the rapids."""
    water = tf.reshape(tf.cos(tf.range(24.0) + number), [6, 4]) * (1.0 + 30.0 * number)
    return water, tf.range(6) % 3, [0.1 * place for place in range(6)]


def train(log, episodes=4):
    policy = Policy()
    optimizer = keras.optimizers.SGD(0.01)
    for number in range(episodes):
        water, taken, rewards = episode(number)
        with tf.GradientTape() as tape:
            likelihood = log.likelihood(policy(water), taken)
            loss = -tf.reduce_mean(likelihood * returns(rewards))
        grads = tape.gradient(loss, policy.trainable_weights)
        optimizer.apply_gradients(zip(grads, policy.trainable_weights))
    return {"policy/hidden/kernel": grads[0], "policy/strokes/kernel": grads[2]}


def broken():
    return train(Log(fused=False))


def fixed():
    return train(Log(fused=True))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
