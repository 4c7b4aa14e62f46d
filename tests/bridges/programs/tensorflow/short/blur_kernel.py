"""Blurs a line with kernels described by small objects."""
import sys

import tensorflow as tf

line = tf.constant([0.0, 1.0, 4.0, 1.0, 0.0])


class Kernel:
    def __init__(self, width):
        self.width = width


@tf.function
def sharpness(signal, kernel):
    smooth = signal / kernel.width
    return tf.reduce_sum(tf.square(smooth[1:] - smooth[:-1]))


def measure(kernels):
    signal = tf.Variable(line, name="signal")
    total = tf.zeros([5])
    for kernel in kernels:
        with tf.GradientTape() as tape:
            value = sharpness(signal, kernel)  #!
        total += tape.gradient(value, signal)
    return {"signal": total}


def broken():
    return measure([Kernel(2.0), Kernel(2.0), Kernel(2.0)])


def fixed():
    kernel = Kernel(2.0)
    return measure([kernel, kernel, kernel])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
