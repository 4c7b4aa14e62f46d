"""Sledges on ice and on snow share a base class; each adds the forces that act on it."""
import abc
import sys

import tensorflow as tf


class Sledge(abc.ABC):
    def __init__(self):
        self.mass = tf.Variable(60.0, name="mass")
        self.friction = tf.Variable(0.05, name="friction")  #!

    def forces(self, speed):
        return -self.friction * 9.81 * tf.ones_like(speed)

    @abc.abstractmethod
    def slope(self):
        ...

    def slide(self, steps):
        speed = tf.zeros([1])
        for _ in range(steps):
            speed += 0.1 * (self.forces(speed) + self.slope())
        return speed


class OnIce(Sledge):
    def __init__(self):
        super().__init__()
        self.drag = tf.Variable(0.4, name="drag")

    def slope(self):
        return 3.0

    def forces(self, speed):
        return -self.drag * tf.square(speed) / self.mass


class OnSnow(OnIce):
    def forces(self, speed):
        return Sledge.forces(self, speed) + super().forces(speed)


def fit(sledge, measured=4.1):
    with tf.GradientTape() as tape:
        miss = tf.reduce_sum(tf.square(sledge.slide(12) - measured))
    weights = {name: value for name, value in vars(sledge).items() if isinstance(value, tf.Variable)}
    return tape.gradient(miss, weights)


def broken():
    return fit(OnIce())


def fixed():
    return fit(OnSnow())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
