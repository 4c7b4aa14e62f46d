"""Rain gauges of two makers: one file is parsed to Python floats, the other comes from NumPy."""
import csv
import io
import sys

import numpy as np
import tensorflow as tf

OLD = "3.1,0.4\n2.2,0.9\n0.0,0.1\n5.4,1.9\n"


class Network:
    def __init__(self):
        self.steep = tf.Variable(0.3, name="steep")
        self.base = tf.Variable(0.1, name="base")

    @tf.function
    def misfit(self, readings):
        rain = tf.cast(readings[:, 0], tf.float32)
        flow = tf.cast(readings[:, 1], tf.float32)
        return tf.reduce_mean(tf.square(self.steep * rain + self.base - flow))


def from_csv(text):
    return np.array([[float(cell) for cell in row] for row in csv.reader(io.StringIO(text))], dtype=np.float32)


def from_logger(day):
    rain = np.abs(np.sin(np.arange(4.0) + day)) * 5.0
    return np.stack([rain, 0.35 * rain + 0.05], axis=1)


class Feed:
    def batches(self):
        yield from_csv(OLD)
        yield from_csv(OLD)
        for day in range(3):
            yield from_logger(day)


class EvenFeed(Feed):
    def batches(self):
        for batch in super().batches():
            yield batch.astype(np.float32)


def calibrate(feed):
    network = Network()
    sources = [network.steep, network.base]
    for readings in feed.batches():
        readings = tf.convert_to_tensor(readings)
        with tf.GradientTape() as tape:
            loss = network.misfit(readings)  #!
        slopes = tape.gradient(loss, sources)
        for source, slope in zip(sources, slopes):
            source.assign_sub(0.01 * slope)
    return dict(zip(["steep", "base"], slopes))


def broken():
    return calibrate(Feed())


def fixed():
    return calibrate(EvenFeed())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
