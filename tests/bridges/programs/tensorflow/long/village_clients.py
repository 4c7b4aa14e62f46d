"""Federated average over villages: each has the same number of meters, and all begin a round with the same weights."""
import sys

import tensorflow as tf

VILLAGES, METERS = 18, 6


def readings(round_number):
    rows = tf.sin(tf.reshape(tf.range(float(VILLAGES * METERS * 3)), [VILLAGES, METERS, 3]) * 0.17 + round_number)
    return rows, tf.reduce_sum(rows, axis=-1) * 0.4


def demand(weights, bias, rows):
    return tf.tanh(tf.linalg.matvec(rows, weights)) + bias


def average_of_villages(weights, bias, rows, wanted):
    sums = [tf.zeros_like(weights), tf.zeros_like(bias)]
    for village in range(VILLAGES):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(demand(weights, bias, rows[village]) - wanted[village]))  #!
        own = tape.gradient(loss, [weights, bias])  #~
        sums = [total + grad for total, grad in zip(sums, own)]  #~
    return [total / VILLAGES for total in sums]


def all_villages(weights, bias, rows, wanted):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(demand(weights, bias, rows) - wanted))
    return tape.gradient(loss, [weights, bias])


def federate(average, rounds=3):
    weights = tf.Variable([0.2, -0.1, 0.3], name="weights")
    bias = tf.Variable(0.05, name="bias")
    for number in range(rounds):
        grads = average(weights, bias, *readings(float(number)))
        weights.assign_sub(0.2 * grads[0])
        bias.assign_sub(0.2 * grads[1])
    return dict(zip(("weights", "bias"), grads))


def broken():
    return federate(average_of_villages)


def fixed():
    return federate(all_villages)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
