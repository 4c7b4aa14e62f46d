"""Distils a large classifier of bird calls into a small one; the teacher's probabilities were saved with
three digits.
"""
import sys

import tensorflow as tf


class Student(tf.Module):
    def __init__(self, bands=6, species=4):
        super().__init__(name="student")
        grid = tf.range(float(bands * 5))
        self.filters = tf.Variable(0.4 * tf.reshape(tf.sin(grid), [bands, 5]), name="filters")
        self.mix = tf.Variable(
            0.4 * tf.reshape(tf.cos(tf.range(float(5 * species))), [5, species]), name="mix"
        )

    def __call__(self, bands):
        return tf.nn.elu(bands @ self.filters) @ self.mix


def saved_probabilities(sharpness):
    """What a teacher's file holds: rounded to three digits."""
    scores = sharpness * tf.reshape(tf.sin(tf.range(16.0) * 1.7), [4, 4])
    return tf.round(tf.nn.softmax(scores) * 1000.0) / 1000.0


class Distillation:
    def __init__(self, temperature=2.0):
        self.temperature = temperature

    def entropy(self, targets):
        return -tf.reduce_sum(targets * self.safe_log(targets), axis=1)

    def safe_log(self, targets):
        return tf.math.log(targets)  #!

    def divergence(self, targets, logits):
        cross = tf.nn.softmax_cross_entropy_with_logits(targets, logits / self.temperature)
        return cross - self.entropy(targets)

    def focus(self, targets):
        """Weighs examples of which the teacher is sure higher."""
        return 1.0 + tf.exp(-self.entropy(targets))

    def loss(self, targets, logits):
        return tf.reduce_mean(self.focus(targets) * self.divergence(targets, logits))


class ClippedDistillation(Distillation):
    def safe_log(self, targets):
        return tf.math.log(tf.maximum(targets, 1e-6))


def train(criterion, rate=0.1):
    student = Student()
    calls = tf.reshape(tf.cos(tf.range(24.0) * 0.6), [4, 6])
    sources = [student.filters, student.mix]
    for sharpness in (0.5, 1.0, 2.0, 6.0):
        targets = saved_probabilities(sharpness)
        with tf.GradientTape() as tape:
            loss = criterion.loss(targets, student(calls))
        grads = tape.gradient(loss, sources)
        for variable, grad in zip(sources, grads):
            variable.assign_sub(rate * grad)
    return {"filters": grads[0], "mix": grads[1]}


def broken():
    return train(Distillation())


def fixed():
    return train(ClippedDistillation())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
