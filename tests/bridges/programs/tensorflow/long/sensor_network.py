"""A network of sensors reports under changing keys; one compiled function fuses the readings."""
import sys

import tensorflow as tf


class Station:
    def __init__(self, name, phase):
        self.name, self.phase = name, phase

    def reading(self, hour):
        return tf.sin(tf.constant([0.1, 0.4, 0.9]) * (hour + self.phase))


class Fusion(tf.Module):
    def __init__(self):
        super().__init__(name="fusion")
        self.trust = tf.Variable([0.5, 0.3, 0.2], name="trust")

    @tf.function
    def fuse(self, readings):
        fused = tf.zeros([3])
        for name in sorted(readings):
            fused += self.trust * readings[name]
        return tf.reduce_mean(tf.square(fused / len(readings) - 0.3))


class Network:
    def __init__(self, stations, always_all):
        self.stations = stations
        self.always_all = always_all
        self.fusion = Fusion()

    def report(self, hour):
        readings = {}
        for k, station in enumerate(self.stations):
            if k <= hour or self.always_all:
                readings[station.name] = station.reading(float(hour))
        return readings

    def day(self, hours):
        total = tf.zeros([3])
        for hour in range(hours):
            with tf.GradientTape() as tape:
                loss = self.fusion.fuse(self.report(hour))  #!
            total += tape.gradient(loss, self.fusion.trust)
        return {"trust": total}


def stations():
    return [Station("hill", 0.0), Station("lake", 0.5), Station("wood", 1.0)]


def broken():
    return Network(stations(), always_all=False).day(hours=4)


def fixed():
    return Network(stations(), always_all=True).day(hours=4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
