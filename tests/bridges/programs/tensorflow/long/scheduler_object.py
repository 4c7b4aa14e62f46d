"""Trains with a schedule object that is copied for every epoch."""
import dataclasses
import sys

import tensorflow as tf


@dataclasses.dataclass(eq=False)
class Schedule:
    start: float
    decay: float

    def rate(self, step):
        return self.start * tf.pow(self.decay, tf.cast(step, tf.float32))


class Regression(tf.Module):
    def __init__(self):
        super().__init__(name="regression")
        self.weights = tf.Variable([0.5, -0.2], name="weights")

    @tf.function
    def train(self, inputs, step, schedule):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(inputs, self.weights) - 1.0))
        gradient = tape.gradient(loss, self.weights)
        self.weights.assign_sub(schedule.rate(step) * gradient)
        return gradient


class Runner:
    def __init__(self, renew):
        self.renew = renew
        self.regression = Regression()
        self.inputs = tf.reshape(tf.cos(tf.range(8.0)), [4, 2])

    def schedule_for(self, epoch, schedule):
        return dataclasses.replace(schedule) if self.renew else schedule  #~

    def run(self, epochs):
        schedule = Schedule(start=0.1, decay=0.9)
        step = tf.Variable(0, trainable=False, name="step")
        for epoch in range(epochs):
            current = self.schedule_for(epoch, schedule)
            for _ in range(2):
                gradient = self.regression.train(self.inputs, step, current)  #!
                step.assign_add(1)
        return {"weights": gradient}


def broken():
    return Runner(renew=True).run(epochs=3)


def fixed():
    return Runner(renew=False).run(epochs=3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
