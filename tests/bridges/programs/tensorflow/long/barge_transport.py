"""Entropic transport of coal between mines and ports, by Sinkhorn's iteration in a graph; the tariffs are learned."""
import sys

import tensorflow as tf


class Transport(tf.Module):
    def __init__(self, mines, ports, softness):
        super().__init__()
        self.softness = softness
        self.tariff = tf.Variable(tf.abs(mines[:, None] - ports[None, :]), name="tariff")

    @tf.function
    def plan(self, supply, demand, rounds=tf.constant(6)):
        kernel = tf.exp(-self.tariff / self.softness)
        rows, columns = tf.ones_like(supply), tf.ones_like(demand)
        for _ in tf.range(rounds):
            rows = supply / tf.linalg.matvec(kernel, columns)
            columns = demand / tf.linalg.matvec(kernel, rows, transpose_a=True)  #!
        return rows[:, None] * kernel * columns[None, :]

    def cost(self, supply, demand):
        plan = self.plan(supply, demand)
        return tf.reduce_sum(plan * self.tariff)


def ship(softness):
    mines = tf.constant([0.0, 1.0, 9.0])
    ports = tf.constant([0.5, 2.0, 30.0, 31.0])
    transport = Transport(mines, ports, softness)
    supply, demand = tf.constant([0.3, 0.3, 0.4]), tf.constant([0.25, 0.25, 0.25, 0.25])
    with tf.GradientTape() as tape:
        cost = transport.cost(supply, demand)
    return {"tariff": tape.gradient(cost, transport.tariff)}


def broken():
    return ship(softness=0.1)


def fixed():
    return ship(softness=3.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
