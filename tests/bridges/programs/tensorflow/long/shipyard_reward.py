"""Orders of a shipyard by policy gradient: a rollout samples actions under the tape, and a baseline is fitted beside it."""
import sys

import tensorflow as tf


class Yard:
    def __init__(self):
        self.policy = tf.Variable(0.2 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="policy")
        self.value_of = tf.Variable(0.1 * tf.ones([4, 1]), name="value_of")

    def log_chances(self, states):
        return tf.nn.log_softmax(states @ self.policy)

    def baseline(self, states):
        return tf.squeeze(states @ self.value_of, axis=1)


def returns(states, rate=0.9):
    total, steps = tf.zeros([]), []
    for reward in reversed(tf.unstack(tf.reduce_sum(states, axis=1))):
        total = reward + rate * total
        steps.append(total)
    return tf.stack(steps[::-1])


def two_questions(yard, states, actions, goals):
    with tf.GradientTape(persistent=True) as tape:  #!
        taken = tf.gather(yard.log_chances(states), actions, batch_dims=1)
        guessed = yard.baseline(states)
        gain = -tf.reduce_mean(taken * tf.stop_gradient(goals - guessed)) + tf.reduce_mean(tf.square(goals - guessed))
    return tape.gradient(gain, {"policy": yard.policy, "value_of": yard.value_of})


def one_question(yard, states, actions, goals):
    with tf.GradientTape() as tape:
        taken = tf.gather(yard.log_chances(states), actions, batch_dims=1)
        guessed = yard.baseline(states)
        gain = -tf.reduce_mean(taken * tf.stop_gradient(goals - guessed)) + tf.reduce_mean(tf.square(goals - guessed))
    return tape.gradient(gain, {"policy": yard.policy, "value_of": yard.value_of})


def run(learn, voyages=3):
    yard = Yard()
    for voyage in range(voyages):
        states = tf.reshape(tf.cos(tf.range(24.0) * 0.3 + voyage), [6, 4])
        actions = tf.constant([0, 1, 2, 1, 0, 2])
        grads = learn(yard, states, actions, returns(states))
        yard.policy.assign_sub(0.1 * grads["policy"])
        yard.value_of.assign_sub(0.1 * grads["value_of"])
    return grads


def broken():
    return run(two_questions)


def fixed():
    return run(one_question)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
