"""Temperature along a heated rod by a small net whose second derivative is to obey the heat equation; the conductivity is fitted, too."""
import sys

import tensorflow as tf


class Rod(tf.Module):
    def __init__(self, activation):
        super().__init__(name="rod")
        self.first = tf.Variable(tf.reshape(tf.linspace(-1.0, 1.2, 8), [1, 8]), name="first")
        self.shift = tf.Variable(0.2 * tf.cos(tf.range(8.0)), name="shift")
        self.last = tf.Variable(tf.reshape(tf.sin(tf.range(8.0)), [8, 1]), name="last")
        self.conductivity = tf.Variable(0.3, name="conductivity")
        self.activation = activation

    def temperature(self, place):
        return self.activation(place @ self.first + self.shift) @ self.last  #~


def curvature(rod, place):
    with tf.GradientTape() as outer:
        outer.watch(place)
        with tf.GradientTape() as inner:
            inner.watch(place)
            heat = rod.temperature(place)
        slope = inner.gradient(heat, place)  #!
    return outer.gradient(slope, place)


def train(activation, hours=3):
    rod = Rod(activation)
    place = tf.reshape(tf.linspace(0.0, 1.0, 10), [10, 1])
    source = tf.sin(3.0 * place)
    for _ in range(hours):
        with tf.GradientTape() as tape:
            physics = tf.reduce_mean(tf.square(rod.conductivity * curvature(rod, place) + source))
            ends = tf.reduce_sum(tf.square(rod.temperature(tf.constant([[0.0], [1.0]]))))
            loss = physics + ends
        grads = tape.gradient(loss, [rod.conductivity, rod.last])
        rod.conductivity.assign_sub(0.01 * grads[0])
        rod.last.assign_sub(0.01 * grads[1])
    return {"conductivity": grads[0], "last": grads[1]}


def broken():
    return train(tf.nn.relu)


def fixed():
    return train(tf.nn.tanh)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
