"""Learns to value puzzle positions by what was played so far; the history is a list that grows."""
import sys

import tensorflow as tf


class Value(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable([0.5, -0.3, 0.2], name="weights")

    def of(self, position):
        return tf.tanh(tf.reduce_sum(position * self.weights))


class Learner:
    def __init__(self):
        self.value = Value()

    @tf.function
    def learn(self, history, outcome):
        with tf.GradientTape() as tape:
            guesses = tf.stack([self.value.of(position) for position in tf.unstack(history)] if tf.is_tensor(history)
                               else [self.value.of(position) for position in history])
            loss = tf.reduce_mean(tf.square(guesses - outcome))
        return tape.gradient(loss, self.value.weights)


def positions(count):
    for number in range(count):
        yield tf.stack([tf.sin(float(number)), tf.cos(float(number)), 1.0])


def play(fixed_length, moves=4):
    learner, history = Learner(), []
    for position in positions(moves):
        history.append(position)
        seen = tf.stack((history + [tf.zeros([3])] * moves)[:moves]) if fixed_length else list(history)
        slope = learner.learn(seen, tf.constant(0.5))  #!
        learner.value.weights.assign_sub(0.1 * slope)
    return {"weights": slope}


def broken():
    return play(fixed_length=False)


def fixed():
    return play(fixed_length=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
