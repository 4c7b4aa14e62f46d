"""A Gaussian process for grain temperatures; scales are kept positive by a softplus and set by its inverse."""
import sys

import tensorflow as tf


def softplus_inverse(value):
    return tf.math.log(tf.math.expm1(value))  #!


def stable_inverse(value):
    return value + tf.math.log(-tf.math.expm1(-value))


class Positive:
    """A parameter in unconstrained form."""

    def __init__(self, value, name, inverse):
        self.free = tf.Variable(inverse(tf.constant(value)), name=name)  #~

    def __call__(self):
        return tf.nn.softplus(self.free)


class Kernel:
    def __init__(self, inverse):
        self.length = Positive(2.0, "length", inverse)
        self.variance = Positive(120.0, "variance", inverse)
        self.noise = Positive(0.5, "noise", inverse)

    def matrix(self, depths):
        distance = tf.square(depths[:, None] - depths[None, :])
        smooth = self.variance() * tf.exp(-0.5 * distance / tf.square(self.length()))
        return smooth + self.noise() * tf.eye(tf.shape(depths)[0])

    def weights(self):
        return {"length": self.length.free, "variance": self.variance.free, "noise": self.noise.free}


def negative_log_likelihood(kernel, depths, heat):
    matrix = kernel.matrix(depths)
    solved = tf.linalg.solve(matrix, heat[:, None])
    return 0.5 * tf.reduce_sum(heat[:, None] * solved) + 0.5 * tf.linalg.slogdet(matrix)[1]


def fit(inverse):
    kernel = Kernel(inverse)
    depths = tf.linspace(0.0, 6.0, 7)
    heat = 4.0 * tf.sin(depths)
    with tf.GradientTape() as tape:
        loss = negative_log_likelihood(kernel, depths, heat)
    grads = tape.gradient(loss, kernel.weights())
    return {"variance": grads["variance"]}


def broken():
    return fit(softplus_inverse)


def fixed():
    return fit(stable_inverse)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
