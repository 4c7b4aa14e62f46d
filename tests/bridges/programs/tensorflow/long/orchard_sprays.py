"""Sprays in an orchard: a trainer with a schedule; the momentum grows from epoch to epoch."""
import dataclasses
import sys

import tensorflow as tf


@dataclasses.dataclass
class Schedule:
    first: float = 0.5
    growth: float = 0.1

    def __call__(self, epoch):
        return min(0.9, self.first + self.growth * epoch)


class Trainer:
    def __init__(self, schedule):
        self.schedule = schedule
        self.dose = tf.Variable([0.2, 0.4], name="dose")
        self.speed = tf.Variable([0.0, 0.0], trainable=False, name="speed")

    @tf.function
    def update(self, trees, momentum):
        with tf.GradientTape() as tape:
            harm = tf.reduce_mean(tf.square(trees @ self.dose[:, None] - 1.0))
        grad = tape.gradient(harm, self.dose)
        self.speed.assign(momentum * self.speed - 0.05 * grad)
        self.dose.assign_add(self.speed)
        return grad

    def epoch(self, number, trees):
        momentum = self.schedule(number)
        return self.update(trees, momentum)  #!

    def run(self, epochs=5):
        trees = tf.reshape(tf.abs(tf.sin(tf.range(16.0))), [8, 2])
        for number in range(epochs):
            grad = self.epoch(number, trees)
        return {"dose": grad}


class TensorTrainer(Trainer):
    def epoch(self, number, trees):
        return self.update(trees, tf.constant(self.schedule(number)))


def broken():
    return Trainer(Schedule()).run()


def fixed():
    return TensorTrainer(Schedule()).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
