"""Reads a stream of electricity meters that come as NumPy arrays of whatever type a device sends."""
import sys

import numpy as np
import tensorflow as tf


class Device:
    def __init__(self, kind, offset):
        self.kind, self.offset = kind, offset

    def send(self):
        return (np.arange(4) + self.offset).astype(self.kind)


class LoadModel(tf.Module):
    def __init__(self):
        super().__init__(name="load")
        self.base = tf.Variable(1.0, name="base")
        self.slope = tf.Variable(0.2, name="slope")

    @tf.function
    def error(self, usage):
        hours = tf.range(4.0)
        return tf.reduce_mean(tf.square(self.base + self.slope * hours - tf.cast(usage, tf.float32)))


class Stream:
    def __init__(self, devices, kind=None):
        self.devices, self.kind = devices, kind
        self.model = LoadModel()

    def usage(self, device):
        values = device.send()
        return values if self.kind is None else values.astype(self.kind)

    def learn(self, rate=0.01):
        sources = [self.model.base, self.model.slope]
        for device in self.devices:
            usage = self.usage(device)
            with tf.GradientTape() as tape:
                loss = self.model.error(usage)  #!
            grads = tape.gradient(loss, sources)
            for variable, grad in zip(sources, grads):
                variable.assign_sub(rate * grad)
        return dict(zip(["base", "slope"], grads))


def devices():
    return [Device("float32", 0), Device("float64", 1), Device("float32", 2), Device("int16", 3)]


def broken():
    return Stream(devices()).learn()


def fixed():
    return Stream(devices(), kind="float32").learn()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
