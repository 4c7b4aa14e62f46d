"""Sand in an hour glass: the rate of flow is bounded by what the neck lets through."""
import sys

import tensorflow as tf


class Glass(tf.Module):
    def __init__(self, least, most):
        super().__init__()
        self.least, self.most = least, most
        self.neck = tf.Variable(1.2, name="neck")
        self.grain = tf.Variable([0.2, 0.1], name="grain")
        self.tilt = tf.Variable(0.05, name="tilt")

    @tf.function
    def __call__(self, heights):
        rate = 30.0 * self.neck * tf.sqrt(heights) * tf.reduce_prod(1.0 - self.grain)
        flow = tf.clip_by_value(rate, self.least, self.most)  #!
        return flow * tf.cos(self.tilt)


def calibrate(most, steps=2):
    glass = Glass(0.5, most)
    heights = tf.linspace(0.5, 2.0, 7)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            miss = tf.reduce_mean(tf.square(glass(heights) - 1.0))
        grads = tape.gradient(miss, glass.trainable_variables)
        for weight, grad in zip(glass.trainable_variables, grads):
            weight.assign_sub(1e-4 * grad)
    return {weight.name.split(":")[0]: grad for weight, grad in zip(glass.trainable_variables, grads)}


def broken():
    return calibrate(most=2.0)


def fixed():
    return calibrate(most=200.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
