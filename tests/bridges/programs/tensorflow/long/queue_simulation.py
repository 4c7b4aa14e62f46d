"""Simulates a queue of customers minute by minute in one compiled function."""
import sys

import tensorflow as tf


class Queue(tf.Module):
    def __init__(self):
        super().__init__(name="queue")
        self.service = tf.Variable(0.6, name="service")
        self.patience = tf.Variable(0.2, name="patience")

    def minute(self, waiting, arrivals):
        served = self.service * waiting / (1.0 + waiting)
        leaving = self.patience * tf.nn.softplus(waiting - 3.0)
        return waiting + arrivals - served - leaving


class Simulation:
    def __init__(self, minutes):
        self.queue = Queue()
        self.minutes = minutes
        self.arrivals = 0.4 + 0.3 * tf.sin(tf.range(float(minutes)) / 7.0)

    @tf.function
    def cost(self):
        waiting, total = tf.constant(1.0), tf.constant(0.0)
        for minute in range(self.minutes):
            waiting = self.queue.minute(waiting, self.arrivals[minute])  #!
            total += tf.square(waiting)  #~
        return total / float(self.minutes)

    def gradients(self):
        sources = {"service": self.queue.service, "patience": self.queue.patience}
        with tf.GradientTape() as tape:
            cost = self.cost()
        return tape.gradient(cost, sources)


class LoopedSimulation(Simulation):
    @tf.function
    def cost(self):
        waiting, total = tf.constant(1.0), tf.constant(0.0)
        for minute in tf.range(self.minutes):
            waiting = self.queue.minute(waiting, self.arrivals[minute])
            total += tf.square(waiting)
        return total / float(self.minutes)


def broken():
    return Simulation(minutes=150).gradients()


def fixed():
    return LoopedSimulation(minutes=150).gradients()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
