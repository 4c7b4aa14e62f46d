"""A physics-informed network for a smoke plume, whose loss terms are balanced by the size of their gradients."""
import sys

import keras
import numpy as np
import tensorflow as tf

WIND, SPREAD = 0.8, 0.05


class PlumeNet(keras.Model):
    def __init__(self, width=12):
        super().__init__(name="plume")
        self.hidden = [keras.layers.Dense(width, activation="tanh", name=f"hidden{i}", kernel_initializer=ramp(i)) for i in range(2)]
        self.out = keras.layers.Dense(1, name="out", kernel_initializer=ramp(5))

    def call(self, points):
        for layer in self.hidden:
            points = layer(points)
        return self.out(points)


def ramp(offset):
    def initial(shape, dtype=None):
        count = int(np.prod(shape))
        return tf.reshape(0.4 * tf.sin(1.7 * tf.range(count, dtype=tf.float32) + offset), shape)
    return initial


def residual(net, points):
    with tf.GradientTape() as outer:
        outer.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            smoke = net(points)
        slope = inner.gradient(smoke, points)
        along = slope[:, 0:1]
    bent = outer.gradient(along, points)[:, 0:1]
    return slope[:, 1:2] + WIND * along - SPREAD * bent


class Balancer:
    """Weights of the terms follow the mean size of their gradients."""

    def __init__(self, terms, keep=0.9):
        self.keep = keep
        self.weights = np.ones(terms, "float32")

    def update(self, gradients):
        sizes = np.array([np.mean([np.abs(g.numpy()).mean() for g in of_term]) for of_term in gradients])  #!
        self.weights = self.keep * self.weights + (1 - self.keep) * sizes.max() / (sizes + 1e-8)

    def current(self):
        return [tf.constant(w, tf.float32) for w in self.weights]


class TensorBalancer(Balancer):
    def __init__(self, terms, keep=0.9):
        self.keep = keep
        self.weights = [tf.ones([]) for _ in range(terms)]

    def update(self, gradients):
        sizes = [tf.add_n([tf.reduce_mean(tf.abs(g)) for g in of_term]) / len(of_term) for of_term in gradients]
        largest = tf.reduce_max(tf.stack(sizes))
        self.weights = [self.keep * w + (1 - self.keep) * largest / (s + 1e-8) for w, s in zip(self.weights, sizes)]

    def current(self):
        return self.weights


def train(balancer, steps=6):
    net = PlumeNet()
    inside = tf.stack([tf.linspace(0.0, 1.0, 16), tf.linspace(0.1, 0.9, 16)], axis=1)
    masts = tf.stack([tf.linspace(0.2, 0.8, 5), tf.zeros(5)], axis=1)
    measured = tf.exp(-4.0 * masts[:, :1])
    net(masts)
    rate = 0.01
    for _ in range(steps):
        with tf.GradientTape(persistent=True) as tape:
            physics = tf.reduce_mean(tf.square(residual(net, inside)))
            data = tf.reduce_mean(tf.square(net(masts) - measured))
        weights = net.trainable_variables[:-1]
        parts = [tape.gradient(term, weights) for term in (physics, data)]
        del tape
        balancer.update(parts)
        first, second = balancer.current()
        total = [first * p + second * d for p, d in zip(*parts)]
        for weight, gradient in zip(weights, total):
            weight.assign_sub(rate * gradient)
    return {weight.path: gradient for weight, gradient in zip(weights, total) if weight.name == "kernel"}


def broken():
    return train(Balancer(2))


def fixed():
    return train(TensorBalancer(2))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
