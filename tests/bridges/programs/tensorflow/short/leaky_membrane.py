"""A membrane with a hand-written backward pass for its threshold."""
import sys

import tensorflow as tf


@tf.custom_gradient
def spike(voltage, threshold):
    fired = tf.cast(voltage > threshold, tf.float32)

    def backward(upstream):
        surrogate = 1.0 / tf.square(1.0 + 5.0 * tf.abs(voltage - threshold))
        return upstream * surrogate, None  #!

    return fired, backward


@tf.custom_gradient
def spike_both(voltage, threshold):
    fired = tf.cast(voltage > threshold, tf.float32)

    def backward(upstream):
        surrogate = upstream / tf.square(1.0 + 5.0 * tf.abs(voltage - threshold))
        return surrogate, -tf.reduce_sum(surrogate)

    return fired, backward


def gradients(fire):
    current = tf.Variable([0.4, 0.9, 1.3], name="current")
    threshold = tf.Variable(0.8, name="threshold")
    with tf.GradientTape() as tape:
        spikes = fire(0.9 * current, threshold)  #~
        loss = tf.square(tf.reduce_sum(spikes) - 3.0)
    return dict(zip(["current", "threshold"], tape.gradient(loss, [current, threshold])))


def broken():
    return gradients(spike)


def fixed():
    return gradients(spike_both)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
