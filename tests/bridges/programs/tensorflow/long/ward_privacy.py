"""Lengths of stay on a ward, learned with privacy: the gradient of each patient is clipped before the gradients are added."""
import sys

import tensorflow as tf

BOUND = 0.5


class Stay:
    def __init__(self, features=6):
        self.weights = tf.Variable(0.2 * tf.sin(tf.range(float(features))), name="weights")
        self.intercept = tf.Variable(0.1, name="intercept")

    def days(self, patients):
        return tf.nn.softplus(tf.linalg.matvec(patients, self.weights) + self.intercept)


def clip(gradients, norm):
    return [gradient * tf.minimum(1.0, BOUND / norm) for gradient in gradients]


def one_by_one(model, patients, days, variables):
    summed = [tf.zeros_like(variable) for variable in variables]
    for patient, stay in zip(patients, days):
        with tf.GradientTape() as tape:
            loss = tf.square(model.days(patient[tf.newaxis]) - stay)
        gradients = tape.gradient(loss, variables)  #!
        clipped = clip(gradients, tf.linalg.global_norm(gradients))
        summed = [total + gradient for total, gradient in zip(summed, clipped)]
    return summed


def together(model, patients, days, variables):
    with tf.GradientTape() as tape:
        losses = tf.square(model.days(patients) - days)
    rows = tape.jacobian(losses, variables)
    squares = [tf.reduce_sum(tf.square(tf.reshape(row, [len(patients), -1])), axis=1) for row in rows]
    factors = tf.minimum(1.0, BOUND / tf.sqrt(tf.add_n(squares)))
    return [tf.tensordot(factors, row, 1) for row in rows]


def learn(privately, rounds=2):
    model = Stay()
    variables = [model.weights, model.intercept]
    patients = tf.cos(tf.reshape(tf.range(16 * 6.0), [16, 6]) * 0.4)
    days = 2.0 + tf.reduce_sum(patients, axis=1)
    for _ in range(rounds):
        summed = privately(model, patients, days, variables)
        for variable, gradient in zip(variables, summed):
            variable.assign_sub(0.01 * gradient)
    return {"weights": summed[0], "intercept": summed[1]}


def broken():
    return learn(one_by_one)


def fixed():
    return learn(together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
