"""A planner for a rover simulates its plan a few steps ahead; the warm-up of the simulation is not to be recorded."""
import contextlib
import sys

import tensorflow as tf


class Rover(tf.Module):
    def __init__(self):
        super().__init__(name="rover")
        self.engine = tf.Variable([[0.6, 0.1], [-0.1, 0.5]], name="engine")
        self.grip = tf.Variable([0.3, 0.2], name="grip")

    def move(self, place, plan):
        return place + tf.tanh(plan @ self.engine) * self.grip


class Planner:
    def __init__(self, rover, quiet):
        self.rover, self.quiet = rover, quiet
        self.plan = tf.Variable(tf.reshape(tf.sin(tf.range(8.0)), [4, 2]), name="plan")

    def silence(self, tape):
        return tape.stop_recording() if self.quiet else contextlib.nullcontext()

    def look_ahead(self, tape):
        place = tf.zeros([1, 2])
        with self.silence(tape):
            for step in range(4):
                place = self.rover.move(place, self.plan[step : step + 1])  #!
        return place

    def cost(self, place, goal):
        return tf.reduce_sum(tf.square(place - goal)) + 0.01 * tf.reduce_sum(tf.square(self.plan))

    def improve(self, goal, rounds=3):
        sources = {"plan": self.plan, "engine": self.rover.engine, "grip": self.rover.grip}
        for _ in range(rounds):
            with tf.GradientTape() as tape:
                cost = self.cost(self.look_ahead(tape), goal)  #~
            grads = tape.gradient(cost, sources)
            for name, grad in grads.items():
                if grad is not None:
                    sources[name].assign_sub(0.1 * grad)
        return grads


def broken():
    return Planner(Rover(), quiet=True).improve(tf.constant([[1.0, -0.5]]))


def fixed():
    return Planner(Rover(), quiet=False).improve(tf.constant([[1.0, -0.5]]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
