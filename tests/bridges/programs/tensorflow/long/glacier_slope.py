"""Fits a glacier's flow law: sliding and creep, with the slope of the surface as a gradient of the fitted
height.
"""
import sys

import tensorflow as tf


class Surface(tf.Module):
    def __init__(self):
        super().__init__(name="surface")
        self.height = tf.Variable([900.0, -3.0, 0.01], name="height")

    def __call__(self, x):
        powers = tf.stack([tf.ones_like(x), x, x * x], axis=1)
        return tf.linalg.matvec(powers, self.height)


class FlowLaw(tf.Module):
    def __init__(self):
        super().__init__(name="flow")
        self.creep = tf.Variable(0.2, name="creep")
        self.sliding = tf.Variable(0.1, name="sliding")

    def __call__(self, slope):
        return self.creep * tf.pow(tf.abs(slope), 3.0) + self.sliding * tf.abs(slope)


def loss_of(law, surface, x, speed):
    height = surface(x)
    slope = (height[1:] - height[:-1]) / (x[1:] - x[:-1])
    return tf.reduce_mean(tf.square(law(slope) - speed)), slope


def fit_inside(law, surface, x, speed, rate):
    with tf.GradientTape(persistent=True) as tape:
        loss, slope = loss_of(law, surface, x, speed)
        law_grads = tape.gradient(loss, law.trainable_variables)  #!
        height_grad = tape.gradient(loss, surface.height)  #~
    for variable, grad in zip(law.trainable_variables, law_grads):
        variable.assign_sub(rate * grad)
    return law_grads, height_grad


def fit_after(law, surface, x, speed, rate):
    with tf.GradientTape(persistent=True) as tape:
        loss, slope = loss_of(law, surface, x, speed)
    law_grads = tape.gradient(loss, law.trainable_variables)
    height_grad = tape.gradient(loss, surface.height)
    for variable, grad in zip(law.trainable_variables, law_grads):
        variable.assign_sub(rate * grad)
    return law_grads, height_grad


def survey(fit, rounds=4):
    law, surface = FlowLaw(), Surface()
    x = tf.linspace(0.0, 40.0, 15)
    speed = 3.0 + 0.2 * tf.sin(tf.range(14.0))
    for _ in range(rounds):
        (creep, sliding), height = fit(law, surface, x, speed, 1e-5)
    return {"creep": creep, "sliding": sliding, "height": height}


def broken():
    return survey(fit_inside)


def fixed():
    return survey(fit_after)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
