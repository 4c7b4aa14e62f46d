"""Searches hyperparameters of a ridge regression; each trial makes its own compiled step."""
import sys

import tensorflow as tf


class Ridge:
    def __init__(self):
        self.weights = tf.Variable([[0.1], [0.2], [-0.1]], name="weights")
        self.penalty = tf.Variable(0.0, trainable=False, name="penalty")

    def objective(self, inputs, targets):
        error = tf.reduce_mean(tf.square(tf.matmul(inputs, self.weights) - targets))
        return error + self.penalty * tf.reduce_sum(tf.square(self.weights))


class Search:
    def __init__(self, trials):
        self.trials = trials
        self.ridge = Ridge()
        self.inputs = tf.reshape(tf.sin(tf.range(18.0)), [6, 3])
        self.targets = tf.reduce_sum(self.inputs, axis=1, keepdims=True)

    def gradient_step(self, rate):
        with tf.GradientTape() as tape:
            loss = self.ridge.objective(self.inputs, self.targets)
        gradient = tape.gradient(loss, self.ridge.weights)
        self.ridge.weights.assign_sub(rate * gradient)
        return gradient

    def run(self):
        for penalty in self.trials:
            self.ridge.penalty.assign(penalty)
            step = tf.function(self.gradient_step)  #~
            for _ in range(2):
                gradient = step(tf.constant(0.05))  #!
        return {"weights": gradient}


class SharedSearch(Search):
    def run(self):
        step = tf.function(self.gradient_step)
        for penalty in self.trials:
            self.ridge.penalty.assign(penalty)
            for _ in range(2):
                gradient = step(tf.constant(0.05))
        return {"weights": gradient}


def broken():
    return Search([0.0, 0.1, 0.5]).run()


def fixed():
    return SharedSearch([0.0, 0.1, 0.5]).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
