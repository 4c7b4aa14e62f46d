"""Newton's method for the timing of a relay: the matrix of second derivatives is put together and solved."""
import sys

import tensorflow as tf


class Relay:
    def __init__(self):
        self.marks = tf.Variable([0.9, 1.8, 3.1, 3.9, 5.2, 6.1], name="marks")

    def cost(self):
        gaps = self.marks[1:] - self.marks[:-1]
        hurry = tf.reduce_sum(tf.math.cosh(gaps - 1.0))
        return hurry + 0.5 * tf.square(self.marks[0] - 1.0) + 0.1 * tf.reduce_sum(tf.square(self.marks))


class Coach:
    def __init__(self, relay):
        self.relay = relay

    def curvature(self):
        with tf.GradientTape(persistent=True) as outer:  #~
            with tf.GradientTape() as inner:
                cost = self.relay.cost()
            slope = inner.gradient(cost, self.relay.marks)
            parts = tf.unstack(slope)  #~
        rows = [outer.gradient(part, self.relay.marks) for part in parts]  #!
        return slope, tf.stack(rows)

    def session(self):
        slope, curve = self.curvature()
        step = tf.linalg.solve(curve + 1e-3 * tf.eye(6), slope[:, tf.newaxis])[:, 0]
        self.relay.marks.assign_sub(step)
        return curve


class WholeCoach(Coach):
    def curvature(self):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                cost = self.relay.cost()
            slope = inner.gradient(cost, self.relay.marks)
        return slope, outer.jacobian(slope, self.relay.marks)


def train(coach_of, sessions=3):
    relay = Relay()
    coach = coach_of(relay)
    for _ in range(sessions):
        curve = coach.session()
    return {"marks": curve[-1]}


def broken():
    return train(Coach)


def fixed():
    return train(WholeCoach)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
