"""A plume of dye in a river, by a physics-informed net: c_t + v c_x = k c_xx with v and k to be found."""
import sys

import tensorflow as tf


class PlumeNet(tf.Module):
    def __init__(self, width=5):
        super().__init__(name="plume")
        self.first = tf.Variable(tf.reshape(tf.sin(tf.range(2.0 * width) + 0.4), [2, width]), name="first")
        self.second = tf.Variable(
            0.5 * tf.reshape(tf.cos(tf.range(float(width * width))), [width, width]), name="second"
        )
        self.last = tf.Variable(0.5 * tf.cos(tf.range(float(width)))[:, tf.newaxis], name="last")

    def __call__(self, points):
        return tf.tanh(tf.tanh(points @ self.first) @ self.second) @ self.last


class River:
    """The unknown constants, and the residual of the equation."""

    def __init__(self, net):
        self.net = net
        self.speed = tf.Variable(0.5, name="speed")
        self.spread = tf.Variable(0.05, name="spread")
        self.length, self.duration = 100.0, 60.0

    def scaled(self, x, t):
        return tf.concat([x / self.length, t / self.duration], axis=1)  #!

    def slopes(self, x, t):
        """c_x, c_t and c_xx."""
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                points = self.scaled(x, t)  #~
                first.watch([x, t])  #~
                c = self.net(points)
            c_x, c_t = first.gradient(c, [x, t])
        return c_x, c_t, None if c_x is None else second.gradient(c_x, x)

    def residual(self, x, t):
        c_x, c_t, c_xx = self.slopes(x, t)
        if c_x is None:
            return None
        return c_t + self.speed * c_x - self.spread * c_xx


class WatchingRiver(River):
    def slopes(self, x, t):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch([x, t])
                c = self.net(self.scaled(x, t))
            c_x, c_t = first.gradient(c, [x, t])
        return c_x, c_t, second.gradient(c_x, x)


def fit(river, steps=3, rate=0.1):
    x = tf.reshape(tf.linspace(0.0, 100.0, 12), [12, 1])
    t = tf.reshape(tf.linspace(5.0, 60.0, 12), [12, 1])
    measured = tf.exp(-0.001 * tf.square(x - 0.8 * t))
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(river.net(river.scaled(x, t)) - measured))
            residual = river.residual(x, t)
            if residual is not None:
                loss += tf.reduce_mean(tf.square(residual))
        weights = river.net.trainable_variables
        for weight, grad in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(rate * grad)
    c_x, c_t, _ = river.slopes(x, t)
    return {"x": c_x, "t": c_t}


def broken():
    return fit(River(PlumeNet()))


def fixed():
    return fit(WatchingRiver(PlumeNet()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
