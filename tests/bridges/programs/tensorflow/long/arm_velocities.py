"""How fast the hand of a robot moves: the matrix of derivatives, row by row from one tape."""
import sys

import tensorflow as tf


class Arm(tf.Module):
    def __init__(self, lengths):
        super().__init__(name="arm")
        self.lengths = tf.Variable(lengths, name="lengths")

    def hand(self, angles):
        turned = tf.cumsum(angles)
        x = tf.reduce_sum(self.lengths * tf.cos(turned))
        y = tf.reduce_sum(self.lengths * tf.sin(turned))
        elbows = tf.cumsum(self.lengths * tf.cos(turned))
        return tf.concat([[x, y, tf.reduce_sum(angles)], elbows], axis=0)


def by_rows(arm, angles):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(angles)
        parts = tf.unstack(arm.hand(angles))
    rows = [tape.gradient(part, angles) for part in parts]  #!
    del tape
    return tf.stack(rows)


def at_once(arm, angles):
    with tf.GradientTape() as tape:
        tape.watch(angles)
        hand = arm.hand(angles)
    return tape.jacobian(hand, angles)


def follow(derivatives, steps=3):
    arm = Arm([1.0, 0.8, 0.5, 0.3, 0.2])
    angles = tf.constant([0.3, 0.2, -0.1, 0.4, 0.1])
    wanted = tf.constant([1.5, 1.0, 0.9, 0.9, 1.4, 1.7, 1.8, 2.0])
    for _ in range(steps):
        matrix = derivatives(arm, angles)
        angles -= 0.05 * tf.linalg.matvec(matrix, arm.hand(angles) - wanted, transpose_a=True)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(arm.hand(angles) - wanted))
    return {"lengths": tape.gradient(loss, arm.lengths)}


def broken():
    return follow(by_rows)


def fixed():
    return follow(at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
