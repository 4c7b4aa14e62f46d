"""Learns how long pedestrians wait at a crossing, by temporal differences in a compiled step."""
import sys

import tensorflow as tf


class Waiting(tf.Module):
    """Value of a state, as a small tanh network."""

    def __init__(self, width):
        super().__init__(name="waiting")
        grid = tf.range(float(4 * width))
        self.see = tf.Variable(0.4 * tf.reshape(tf.sin(grid), [4, width]), name="see")
        self.judge = tf.Variable(0.3 * tf.reshape(tf.cos(grid[:width]), [width, 1]), name="judge")

    def __call__(self, states):
        return tf.squeeze(tf.tanh(states @ self.see) @ self.judge, axis=1)


class Learner:
    discount = 0.95

    def __init__(self, values):
        self.values = values
        self.bias = tf.Variable(0.1, name="bias")

    def difference(self, now, reward, later):
        wanted = reward + self.discount * self.values(later)
        return tf.stop_gradient(wanted - self.values(now))  #!

    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None]), tf.TensorSpec([None, 4])])
    def learn(self, now, reward, later):
        sources = {"see": self.values.see, "judge": self.values.judge, "bias": self.bias}
        with tf.GradientTape() as tape:
            error = self.difference(now, reward, later) + self.bias
            loss = 0.5 * tf.reduce_mean(error * error)
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            if grad is not None:
                sources[name].assign_sub(0.1 * grad)
        return grads


class RightLearner(Learner):
    def difference(self, now, reward, later):
        wanted = reward + self.discount * self.values(later)
        return tf.stop_gradient(wanted) - self.values(now)


def watch(kind):
    states = tf.reshape(tf.sin(tf.range(21.0 * 4) * 0.35), [21, 4])
    reward = -tf.abs(states[:-1, 0])
    learner = kind(Waiting(5))
    for start in (0, 10):
        rows = slice(start, start + 10)
        grads = learner.learn(states[rows], reward[rows], states[start + 1 : start + 11])
    return grads


def broken():
    return watch(Learner)


def fixed():
    return watch(RightLearner)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
