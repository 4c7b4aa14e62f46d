"""Gradient descent by hand on a barley yield model: parameters in a dict are renewed in each round."""
import sys

import tensorflow as tf


def initial_parameters():
    return {"water": tf.Variable(0.4, name="water"), "nitrogen": tf.Variable(0.7, name="nitrogen")}


def fields():
    sun = tf.linspace(0.5, 1.5, 9)
    rain = 1.0 - 0.5 * tf.cos(tf.linspace(0.0, 3.0, 9))
    return sun, rain, 0.8 * rain + 0.3 * sun + 0.1


def predicted_yield(parameters, sun, rain):
    base = parameters["water"] * rain  #~
    return base + tf.sqrt(sun) * parameters["nitrogen"]


def loss_of(parameters):
    sun, rain, measured = fields()
    return tf.reduce_mean(tf.square(predicted_yield(parameters, sun, rain) - measured))


class Descent:
    def __init__(self, rate):
        self.rate = rate
        self.history = []

    def gradients(self, parameters):
        with tf.GradientTape() as tape:
            loss = loss_of(parameters)
        self.history.append(float(loss))
        return tape.gradient(loss, parameters)

    def renew(self, parameters, grads):
        return {name: value - self.rate * grads[name] for name, value in parameters.items()}  #!

    def run(self, rounds):
        parameters = initial_parameters()
        for _ in range(rounds):
            grads = self.gradients(parameters)
            if None in grads.values():
                break
            parameters = self.renew(parameters, grads)
        return grads


class AssigningDescent(Descent):
    def renew(self, parameters, grads):
        for name, value in parameters.items():
            value.assign_sub(self.rate * grads[name])
        return parameters


def broken():
    return Descent(rate=0.1).run(rounds=5)


def fixed():
    return AssigningDescent(rate=0.1).run(rounds=5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
