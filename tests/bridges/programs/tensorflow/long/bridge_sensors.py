"""Fits a model of a bridge's sensors; gradients are clipped by their norm and the step is logged."""
import sys

import numpy as np
import tensorflow as tf


class BridgeModel(tf.Module):
    def __init__(self):
        super().__init__(name="bridge")
        self.girder = tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(24.0)), [4, 6]), name="girder")
        self.cable = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(6.0)), [6, 1]), name="cable")

    def __call__(self, load):
        return tf.squeeze(tf.sin(load @ self.girder) @ self.cable, axis=1)


class HostClipping:
    """Scales gradients so that their joint norm is at most a limit."""

    def __init__(self, limit):
        self.limit = limit

    def __call__(self, grads):
        norm = np.sqrt(sum(np.sum(np.square(grad.numpy())) for grad in grads.values()))  #!
        scale = min(1.0, self.limit / (norm + 1e-12))
        return {name: tf.constant(grad.numpy() * np.float32(scale)) for name, grad in grads.items()}  #~


class TensorClipping(HostClipping):
    def __call__(self, grads):
        norm = tf.linalg.global_norm(list(grads.values()))
        scale = tf.minimum(1.0, self.limit / (norm + 1e-12))
        return {name: grad * scale for name, grad in grads.items()}


class Monitoring:
    def __init__(self, clipping):
        self.model, self.clipping = BridgeModel(), clipping
        self.weights = {"girder": self.model.girder, "cable": self.model.cable}

    def step(self, load, strain, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(load) - strain))
        grads = self.clipping(tape.gradient(loss, self.weights))
        for name, weight in self.weights.items():
            weight.assign_sub(rate * grads[name])
        return loss, grads

    def run(self, days=5, steps=4):
        for day in range(days):
            load = tf.reshape(tf.cos(tf.range(48.0) * 0.2 + day), [12, 4])
            strain = 3.0 * tf.reduce_sum(load, axis=1)
            for _ in range(steps):
                loss, grads = self.step(load, strain, 0.05)
            print(f"day {day}: {float(loss):.3f}")
        return grads


def broken():
    return Monitoring(HostClipping(0.5)).run()


def fixed():
    return Monitoring(TensorClipping(0.5)).run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
