"""Inverse kinematics of an arm: joint angles lie in one vector and are asked for one by one."""
import sys

import tensorflow as tf

LENGTHS = (1.0, 0.8, 0.5)


class Arm:
    def __init__(self, angles):
        self.angles = angles

    def positions(self):
        x = y = heading = 0.0
        for k, length in enumerate(LENGTHS):
            heading = heading + self.angles[k]
            x = x + length * tf.cos(heading)
            y = y + length * tf.sin(heading)
        return tf.stack([x, y])


class Reach:
    def __init__(self, goal):
        self.goal = tf.constant(goal)
        self.limits = tf.constant([2.0, 2.4, 2.8])

    def loss(self, arm):
        distance = tf.reduce_sum(tf.square(arm.positions() - self.goal))
        strain = tf.reduce_mean(tf.square(arm.angles / self.limits))
        return distance + 0.05 * strain


def joints_apart(goal):
    arm = Arm(tf.Variable([0.4, 0.6, -0.2], name="angles"))
    with tf.GradientTape() as tape:
        loss = Reach(goal).loss(arm)
        shoulder = arm.angles[0]  #!
        elbow = arm.angles[1]  #!
    grads = tape.gradient(loss, [shoulder, elbow])  #~
    return {"shoulder": grads[0], "elbow": grads[1]}


def joints_together(goal):
    arm = Arm(tf.Variable([0.4, 0.6, -0.2], name="angles"))
    with tf.GradientTape() as tape:
        loss = Reach(goal).loss(arm)
    shoulder, elbow, _ = tf.unstack(tape.gradient(loss, arm.angles))
    return {"shoulder": shoulder, "elbow": elbow}


def broken():
    return joints_apart([1.2, 1.1])


def fixed():
    return joints_together([1.2, 1.1])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
