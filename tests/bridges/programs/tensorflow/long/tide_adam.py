"""A hand-written Adam corrects its moments by the number of the step, in a compiled update."""
import sys

import tensorflow as tf


class Adam(tf.Module):
    def __init__(self, variables, rate=0.02, first=0.9, second=0.999):
        super().__init__(name="adam")
        self.variables_ = variables
        self.rate, self.first, self.second = rate, first, second
        self.means = [tf.Variable(tf.zeros_like(v), name=f"mean_{i}", trainable=False) for i, v in enumerate(variables)]
        self.squares = [tf.Variable(tf.zeros_like(v), name=f"square_{i}", trainable=False) for i, v in enumerate(variables)]

    @tf.function
    def update(self, gradients, step):
        count = tf.cast(step, tf.float32)
        for variable, mean, square, gradient in zip(self.variables_, self.means, self.squares, gradients):
            mean.assign(self.first * mean + (1.0 - self.first) * gradient)
            square.assign(self.second * square + (1.0 - self.second) * tf.square(gradient))
            small = mean / (1.0 - self.first ** count)
            large = square / (1.0 - self.second ** count)
            variable.assign_sub(self.rate * small / (tf.sqrt(large) + 1e-7))


class Tide:
    def __init__(self):
        self.height = tf.Variable([0.5, 0.2], name="height")
        self.delay = tf.Variable([0.1, -0.3], name="delay")

    def __call__(self, hours):
        turn = hours[:, tf.newaxis] * tf.constant([0.506, 1.012]) + self.delay
        return tf.reduce_sum(self.height * tf.cos(turn), axis=1)


def numbered(steps):
    return range(1, steps + 1)


def numbered_in_tensors(steps):
    return (tf.constant(step) for step in range(1, steps + 1))


def follow(numbers, steps=6):
    tide = Tide()
    sources = [tide.height, tide.delay]
    adam = Adam(sources)
    hours = tf.linspace(0.0, 24.0, 30)
    level = 1.2 * tf.cos(0.506 * hours - 0.4) + 0.3 * tf.cos(1.012 * hours)
    for step in numbers(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tide(hours) - level))
        gradients = tape.gradient(loss, sources)
        adam.update(gradients, step)  #!
    return dict(zip(["height", "delay"], gradients))


def broken():
    return follow(numbered)


def fixed():
    return follow(numbered_in_tensors)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
