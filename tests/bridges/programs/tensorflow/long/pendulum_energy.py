"""Identifies the friction of a double pendulum by shooting; the drift of the energy is shown beside the loss."""
import sys

import tensorflow as tf


class Pendulum(tf.Module):
    def __init__(self):
        super().__init__()
        self.friction = tf.Variable(0.3, name="friction")
        self.length = tf.Variable([1.0, 0.7], name="length")

    def bend(self, angles, speeds):
        return -9.8 * tf.sin(angles) / self.length - self.friction * speeds

    def energy(self, angles, speeds):
        return tf.reduce_sum(0.5 * tf.square(self.length * speeds) - 9.8 * self.length * tf.cos(angles))


def swing(pendulum, angles, speeds, steps=8, dt=0.05):
    for _ in range(steps):
        speeds = speeds + dt * pendulum.bend(angles, speeds)
        angles = angles + dt * speeds
    return angles, speeds


def drift(pendulum, start, end):
    return tf.abs(pendulum.energy(*end) - pendulum.energy(*start))  #!


def with_drift(pendulum, start, seen):
    with tf.GradientTape() as tape:
        end = swing(pendulum, *start)
        lost = drift(pendulum, start, end)  #~
        loss = tf.reduce_mean(tf.square(end[0] - seen))
    return loss, lost, tape.gradient(loss, [pendulum.friction, pendulum.length])


def drift_after(pendulum, start, seen):
    with tf.GradientTape() as tape:
        end = swing(pendulum, *start)
        loss = tf.reduce_mean(tf.square(end[0] - seen))
    return loss, drift(pendulum, start, end), tape.gradient(loss, [pendulum.friction, pendulum.length])


def identify(step, rounds=4):
    pendulum = Pendulum()
    start, seen = (tf.constant([0.6, -0.4]), tf.constant([0.0, 0.2])), tf.constant([0.5, -0.2])
    shown = []
    for _ in range(rounds):
        loss, lost, (friction, length) = step(pendulum, start, seen)
        pendulum.friction.assign_sub(0.1 * friction)
        pendulum.length.assign_sub(0.1 * length)
        shown.append((loss, lost))
    return {"friction": friction, "length": length}


def broken():
    return identify(with_drift)


def fixed():
    return identify(drift_after)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
