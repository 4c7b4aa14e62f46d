"""Reversible blocks for images of stained glass: activations are recomputed, so the gradient is written by hand."""
import sys

import tensorflow as tf


def half(x, kernel, bias):
    return tf.nn.silu(tf.matmul(x, kernel) + bias)


class Coupling:
    def __init__(self, width, phase, whole):
        grid = tf.reshape(tf.range(float(width * width)), [width, width])
        self.kernel = tf.Variable(0.4 * tf.sin(grid + phase), name=f"kernel_{phase}")
        self.bias = tf.Variable(0.1 * tf.ones([width]), name=f"bias_{phase}")
        self.whole = whole

    def __call__(self, left, right):
        whole = self.whole

        @tf.custom_gradient
        def couple(left, right, kernel, bias):
            moved = right + half(left, kernel, bias)

            def backward(of_left, of_moved):
                with tf.GradientTape() as tape:
                    tape.watch([left, kernel, bias])
                    again = half(left, kernel, bias)
                by_left, by_kernel, by_bias = tape.gradient(again, [left, kernel, bias], of_moved)
                if whole:
                    return of_left + by_left, of_moved, by_kernel, by_bias
                return of_left + by_left, of_moved, by_kernel, None  #!

            return (tf.identity(left), moved), backward

        left, right = couple(left, right, self.kernel, self.bias)  #~
        return right, left


class Window:
    def __init__(self, whole, width=3):
        self.blocks = [Coupling(width, phase, whole) for phase in (1, 2)]
        self.lead = tf.Variable(tf.ones([2 * width, 1]) * 0.3, name="lead")

    def colour(self, panes):
        left, right = tf.split(panes, 2, axis=1)
        for block in self.blocks:
            left, right = block(left, right)
        return tf.concat([left, right], axis=1) @ self.lead


def shine(whole):
    window = Window(whole)
    panes = tf.reshape(tf.cos(tf.range(24.0) * 0.5), [4, 6])
    light = tf.reduce_sum(panes, axis=1, keepdims=True)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.math.squared_difference(window.colour(panes), light))
    first = window.blocks[0]
    return tape.gradient(loss, {"kernel_1": first.kernel, "bias_1": first.bias, "lead": window.lead})


def broken():
    return shine(whole=False)


def fixed():
    return shine(whole=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
