"""A physics-informed network for heat in a rod: u_t = k u_xx, with two outer derivatives by nested tapes."""
import sys

import tensorflow as tf


class RodNet(tf.Module):
    def __init__(self, width=6):
        super().__init__(name="rod")
        grid = tf.range(float(2 * width))
        self.first = tf.Variable(tf.reshape(tf.sin(grid + 1.0), [2, width]), name="first")
        self.bias = tf.Variable(tf.linspace(-0.5, 0.5, width), name="bias")
        self.last = tf.Variable(tf.reshape(tf.cos(tf.range(float(width))), [width, 1]), name="last")

    def __call__(self, x, t):
        hidden = tf.tanh(tf.matmul(tf.concat([x, t], axis=1), self.first) + self.bias)
        return tf.matmul(hidden, self.last)


class Residual:
    """The left side of the equation minus its right side at collocation points."""

    def __init__(self, net, conductivity):
        self.net = net
        self.conductivity = conductivity

    def derivatives(self, x, t):
        with tf.GradientTape(persistent=True) as second:
            second.watch(x)
            with tf.GradientTape(persistent=True) as first:
                first.watch([x, t])
                u = self.net(x, t)
        u_t = first.gradient(u, t)
        u_x = first.gradient(u, x)  #!
        u_xx = second.gradient(u_x, x)  #~
        return u_t, u_xx

    def loss(self, x, t):
        u_t, u_xx = self.derivatives(x, t)
        if u_xx is None:
            u_xx = tf.zeros_like(u_t)
        return tf.reduce_mean(tf.square(u_t - self.conductivity * u_xx)), u_xx


class NestedResidual(Residual):
    def derivatives(self, x, t):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape(persistent=True) as first:
                first.watch([x, t])
                u = self.net(x, t)
            u_x = first.gradient(u, x)
            u_t = first.gradient(u, t)
        return u_t, second.gradient(u_x, x)


def second_derivative(kind):
    x = tf.reshape(tf.linspace(0.0, 1.0, 8), [8, 1])
    t = tf.reshape(tf.linspace(0.1, 0.4, 8), [8, 1])
    residual = kind(RodNet(), conductivity=0.1)
    u_t, u_xx = residual.derivatives(x, t)
    return {"x": u_xx}


def broken():
    return second_derivative(Residual)


def fixed():
    return second_derivative(NestedResidual)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
