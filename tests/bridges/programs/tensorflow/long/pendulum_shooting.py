"""A pendulum's path is found by shooting: a few Newton rounds on where it ends, by start and by push."""
import sys

import tensorflow as tf


class Pendulum(tf.Module):
    def __init__(self, damping=0.1):
        super().__init__("pendulum")
        self.damping = tf.constant(damping)

    def slope(self, state, push):
        angle, speed = tf.unstack(state)
        return tf.stack([speed, push - tf.sin(angle) - self.damping * speed])

    def marks(self, controls, steps=6, dt=0.2):
        """Where it is after each step, and how fast."""
        state, seen = controls[:2], []
        for _ in range(steps):
            half = state + 0.5 * dt * self.slope(state, controls[2])
            state = state + dt * self.slope(half, controls[2])
            seen.append(state)
        return tf.concat(seen, axis=0)


class Shooting:
    def __init__(self, pendulum):
        self.pendulum = pendulum
        self.goal = 0.1 * tf.cos(tf.range(12.0))

    def sensitivity(self, controls):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(controls)
            marks = self.pendulum.marks(controls)
            each = tf.unstack(marks)
        rows = [tape.gradient(mark, controls) for mark in each]  #!
        del tape
        return marks, tf.stack(rows)

    def newton(self, rounds=2):
        controls = tf.constant([0.5, 0.0, 0.1])
        for _ in range(rounds):
            marks, matrix = self.sensitivity(controls)
            missing = (self.goal - marks)[:, None]
            controls = controls + tf.linalg.lstsq(matrix, missing, l2_regularizer=0.1)[:, 0]
        return {"controls": tf.reduce_sum(matrix, axis=0)}


class WholeShooting(Shooting):
    def sensitivity(self, controls):
        with tf.GradientTape() as tape:
            tape.watch(controls)
            marks = self.pendulum.marks(controls)
        return marks, tape.jacobian(marks, controls)


def broken():
    return Shooting(Pendulum()).newton()


def fixed():
    return WholeShooting(Pendulum()).newton()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
