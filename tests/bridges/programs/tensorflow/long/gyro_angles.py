"""Turns a rig towards marks: the loss is the angle between where it points and where it should."""
import sys

import tensorflow as tf


class Rig(tf.Module):
    def __init__(self):
        super().__init__(name="rig")
        self.yaw = tf.Variable(0.0, name="yaw")
        self.lift = tf.Variable(0.0, name="lift")

    def pointing(self, turn):
        yaw, lift = self.yaw + turn, self.lift
        return tf.stack([tf.cos(yaw) * tf.cos(lift), tf.sin(yaw) * tf.cos(lift), tf.sin(lift) * tf.ones_like(yaw)], axis=-1)


def angle(a, b):
    return tf.acos(tf.reduce_sum(a * b, axis=-1))  #!


def wide_angle(a, b):
    crossed = tf.norm(tf.linalg.cross(a, b) + 1e-6, axis=-1)
    return tf.atan2(crossed, tf.reduce_sum(a * b, axis=-1))


@tf.function
def correction(rig, turns, marks, angle_of):
    with tf.GradientTape() as tape:
        off = angle_of(rig.pointing(turns), marks)
        loss = tf.reduce_mean(off)
    return tape.gradient(loss, [rig.yaw, rig.lift])


def marks(turns):
    return tf.stack([tf.cos(turns), tf.sin(turns), tf.zeros_like(turns)], axis=-1)


def align(angle_of):
    rig = Rig()
    turns = tf.constant([0.0, 0.4, 0.9])
    aims = marks(turns + tf.constant([0.0, 0.2, -0.1]))
    yaw, lift = correction(rig, turns, aims, angle_of)
    return {"yaw": yaw, "lift": lift}


def broken():
    return align(angle)


def fixed():
    return align(wide_angle)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
