"""Simulates crowds between subway stations with a recurrent cell, an hour in minutes, in one compiled
step.
"""
import sys

import tensorflow as tf


class Station(tf.Module):
    def __init__(self, width=4):
        super().__init__(name="station")
        grid = tf.range(float(width * width))
        self.gate = tf.Variable(0.3 * tf.reshape(tf.sin(grid), [width, width]), name="gate")
        self.flow = tf.Variable(0.3 * tf.reshape(tf.cos(grid), [width, width]), name="flow")

    def minute(self, crowd, trains):
        share = tf.sigmoid(crowd @ self.gate + trains)  #~
        return share * crowd + (1.0 - share) * tf.tanh(crowd @ self.flow)  #!


class Simulation:
    def __init__(self, station, minutes=60):
        self.station, self.minutes = station, minutes

    def hour(self, crowd, trains):
        for minute in range(self.minutes):
            crowd = self.station.minute(crowd, trains * tf.sin(0.1 * minute))  #~
        return crowd

    @tf.function
    def calibrate(self, crowd, trains, seen):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.hour(crowd, trains) - seen))
        sources = {"gate": self.station.gate, "flow": self.station.flow}
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(0.1 * grads[name])
        return grads


class LoopedSimulation(Simulation):
    def hour(self, crowd, trains):
        for minute in tf.range(self.minutes):
            crowd = self.station.minute(crowd, trains * tf.sin(0.1 * tf.cast(minute, tf.float32)))
        return crowd


def morning(simulation, days=2):
    crowd = 0.5 + 0.2 * tf.reshape(tf.sin(tf.range(12.0)), [3, 4])
    trains = tf.constant([[1.0, 0.5, 0.2, 0.1]])
    for _ in range(days):
        grads = simulation.calibrate(crowd, trains, 0.3 * crowd)
    return grads


def broken():
    return morning(Simulation(Station()))


def fixed():
    return morning(LoopedSimulation(Station()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
