"""Pedal positions of a piano from key vectors, normalized by hand in half precision."""
import sys

import tensorflow as tf

tf_half = tf.float16


class HalfNorm:
    """Zero mean and unit deviation over the last axis."""

    def __init__(self, width, epsilon):
        self.scale = tf.Variable(tf.ones([width]), name="scale")
        self.shift = tf.Variable(tf.zeros([width]), name="shift")
        self.epsilon = epsilon

    def __call__(self, keys):
        mean = tf.reduce_mean(keys, axis=-1, keepdims=True)
        deviation = tf.math.reduce_mean(tf.square(keys - mean), axis=-1, keepdims=True)
        unit = (keys - mean) / (deviation + tf.cast(self.epsilon, keys.dtype))  #!
        return unit * tf.cast(self.scale, keys.dtype) + tf.cast(self.shift, keys.dtype)


class Pedal:
    def __init__(self, epsilon=1e-8, width=6):
        self.norm = HalfNorm(width, epsilon)
        self.foot = tf.Variable(tf.reshape(0.1 * tf.cos(tf.range(float(width))), [width, 1]), name="foot")

    def __call__(self, keys):
        normal = self.norm(tf.cast(keys, tf_half))
        return tf.cast(normal @ tf.cast(self.foot, tf_half), tf.float32)

    def weights(self):
        return [self.norm.scale, self.norm.shift, self.foot]


def bars():
    for bar in range(3):
        keys = tf.reshape(tf.cos(tf.range(24.0) * 0.8 + bar), [4, 6])
        silent = tf.constant([1.0, 1.0, 1.0, float(bar < 2)])
        yield keys * silent[:, tf.newaxis], tf.constant([[0.1], [0.2], [0.4], [0.0]])


def practise(pedal):
    for keys, position in bars():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(pedal(keys) - position))
        grads = tape.gradient(loss, pedal.weights())
        for weight, grad in zip(pedal.weights(), grads):
            weight.assign_sub(0.01 * grad)
    return dict(zip(("scale", "foot"), (grads[0], grads[2])))


def broken():
    return practise(Pedal())


def fixed():
    return practise(Pedal(epsilon=1e-3))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
