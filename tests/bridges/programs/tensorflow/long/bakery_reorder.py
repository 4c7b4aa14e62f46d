"""Flour is ordered when the stock falls under a threshold, which is to be learned from a month of sales."""
import sys
from typing import NamedTuple

import tensorflow as tf


class Policy(NamedTuple):
    threshold: tf.Variable
    amount: tf.Variable


class Day(NamedTuple):
    stock: tf.Tensor
    cost: tf.Tensor


def orders_hard(stock, policy):
    return tf.cast(tf.greater(policy.threshold, stock), tf.float32)  #!


def orders_soft(stock, policy):
    return tf.sigmoid(policy.threshold - stock)


def simulate(policy, sales, orders):
    day = Day(tf.constant(20.0), tf.constant(0.0))
    for sold in tf.unstack(sales):
        ordered = orders(day.stock, policy) * policy.amount
        stock = day.stock + ordered - sold
        short = tf.nn.relu(-stock)
        day = day._replace(stock=tf.nn.relu(stock), cost=day.cost + 0.1 * ordered + 0.02 * stock + 2.0 * short)
    return day.cost + 0.05 * day.stock


def learn(orders, rounds=2):
    threshold = tf.Variable(8.0, name="threshold")
    policy = Policy(threshold, tf.Variable(12.0, name="amount"))
    sales = 5.0 + 2.0 * tf.sin(tf.range(14.0))
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            cost = simulate(policy, sales, orders)
        slopes = Policy(*tape.gradient(cost, policy))
        for weight, slope in zip(policy, slopes):
            if slope is not None:
                weight.assign_sub(0.01 * slope)
    return slopes._asdict()


def broken():
    return learn(orders_hard)


def fixed():
    return learn(orders_soft)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
