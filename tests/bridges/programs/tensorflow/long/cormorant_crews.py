"""Two groups of weights with their own rates: the encoder of a diving cormorant's track learns slowly, the head fast."""
import sys

import tensorflow as tf


class Track(tf.Module):
    def __init__(self, width=12):
        super().__init__(name="track")
        self.depth_in = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(4.0 * width)), [4, width]), name="depth_in")
        self.depth_out = tf.Variable(0.2 * tf.reshape(tf.cos(tf.range(float(width))), [width, 1]), name="depth_out")

    def encode(self, dives):
        return tf.nn.softplus(dives @ self.depth_in)

    def __call__(self, dives):
        return self.encode(dives) @ self.depth_out


def error(track, dives, catch):
    return tf.reduce_mean(tf.square(track(dives) - catch))


def gradient_of(track, batch, variable):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(variable)
        loss = error(track, *batch)  #!
    return tape.gradient(loss, variable)


def both_alone(track, batch):
    return {
        "depth_in": gradient_of(track, batch, track.depth_in),
        "depth_out": gradient_of(track, batch, track.depth_out),  #~
    }


def both_together(track, batch):
    with tf.GradientTape() as tape:
        loss = error(track, *batch)
    return tape.gradient(loss, {"depth_in": track.depth_in, "depth_out": track.depth_out})


def batches(count=6):
    for number in range(count):
        dives = tf.reshape(tf.sin(tf.range(80.0) * 0.3 + number), [20, 4])
        yield dives, tf.reduce_sum(dives, axis=1, keepdims=True)


def train(gradients, slow=0.001, fast=0.01):
    track = Track()
    rates = {"depth_in": slow, "depth_out": fast}
    for batch in batches():
        grads = gradients(track, batch)
        for name, rate in rates.items():
            getattr(track, name).assign_sub(rate * grads[name])
    return grads


def broken():
    return train(both_alone)


def fixed():
    return train(both_together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
