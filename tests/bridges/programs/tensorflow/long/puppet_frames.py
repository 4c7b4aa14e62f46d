"""Frames of a puppet play are smoothed by a learned kernel before they are compared with drawings."""
import sys

import tensorflow as tf


class Smoothing(tf.Module):
    def __init__(self, size=3):
        super().__init__("smoothing")
        self.kernel = tf.Variable(0.1 + 0.05 * tf.reshape(tf.sin(tf.range(9.0)), [size, size, 1, 1]), name="kernel")
        self.lift = tf.Variable(0.05, name="lift")

    def __call__(self, frames):
        return tf.nn.relu(tf.nn.conv2d(frames, self.kernel, 1, "SAME") + self.lift)


def play(frames=18, side=5):
    values = tf.sin(tf.range(float(frames * side * side)) * 0.17)
    values = tf.reshape(values, [frames, side, side, 1])
    return values, tf.abs(tf.image.flip_left_right(values))


def difference(smoothing, frame, drawing):
    smooth = smoothing(frame[None])[0]
    return tf.reduce_mean(tf.square(smooth - drawing))


def one_by_one(smoothing, frames, drawings):
    losses = []
    for frame, drawing in zip(frames, drawings):
        losses.append(difference(smoothing, frame, drawing))  #!
    return tf.add_n(losses) / len(losses)


def together(smoothing, frames, drawings):
    return tf.reduce_mean(tf.square(smoothing(frames) - drawings))


def rehearse(compare, rounds=2):
    smoothing = Smoothing()
    frames, drawings = play()
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = compare(smoothing, frames, drawings)
        kernel, lift = tape.gradient(loss, [smoothing.kernel, smoothing.lift])
        smoothing.kernel.assign_sub(0.1 * kernel)
        smoothing.lift.assign_sub(0.1 * lift)
    return {"kernel": kernel, "lift": lift}


def broken():
    return rehearse(one_by_one)


def fixed():
    return rehearse(together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
