"""Estimates the rotation of a camera from frame to frame; the loss is the angle between two rotations."""
import sys

import tensorflow as tf


def skew(vector):
    x, y, z = tf.unstack(vector)
    zero = tf.zeros_like(x)
    return tf.stack([tf.stack([zero, -z, y]), tf.stack([z, zero, -x]), tf.stack([-y, x, zero])])


def rotation(vector):
    """The matrix of an axis times a small angle."""
    turn = skew(vector)
    return tf.eye(3) + turn + 0.5 * tf.matmul(turn, turn)


class Pose(tf.Module):
    def __init__(self):
        super().__init__(name="pose")
        self.turn = tf.Variable([0.02, -0.01, 0.03], name="turn")
        self.drift = tf.Variable([0.1, 0.0, -0.1], name="drift")

    def __call__(self, time):
        return rotation(self.turn * time), self.drift * time


class Loss:
    def __init__(self, edge):
        self.edge = edge

    def angle(self, one, other):
        trace = tf.linalg.trace(tf.matmul(one, other, transpose_a=True))
        cosine = tf.clip_by_value(0.5 * (trace - 1.0), -self.edge, self.edge)
        return tf.acos(cosine)  #!

    def __call__(self, pose, time, seen, place):
        turned, moved = pose(time)
        return self.angle(turned, seen) + 0.1 * tf.reduce_sum(tf.square(moved - place))

    def window(self, pose, frames):
        return tf.add_n([self(pose, *frame) for frame in frames])


def frame(time):
    wobble = tf.constant([0.01, 0.02, 0.0]) * time
    return tf.constant(time), rotation(wobble), 0.05 * wobble


def windows():
    for start in (4.0, 2.0, 0.0):
        yield [frame(start + 1.0), frame(start)]


def track(loss_of, rate=0.01):
    pose = Pose()
    sources = {"turn": pose.turn, "drift": pose.drift}
    for frames in windows():
        with tf.GradientTape() as tape:
            loss = loss_of.window(pose, frames)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return track(Loss(edge=1.0))


class ChordLoss(Loss):
    def angle(self, one, other):
        return tf.reduce_sum(tf.square(one - other - 1e-3))


def fixed():
    return track(ChordLoss(edge=1.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
