"""Trains a thread-tension model of a loom and writes each layer's gradient norm to a log at every step."""
import sys

import tensorflow as tf


class Tension(tf.Module):
    def __init__(self, layers=3):
        super().__init__(name="tension")
        self.warps = [tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(16.0) + place), [4, 4]), name=f"warp{place}") for place in range(layers)]

    def __call__(self, threads):
        for warp in self.warps:
            threads = tf.nn.elu(threads @ warp)
        return tf.reduce_mean(threads, axis=1)


class Log:
    def __init__(self):
        self.lines = []

    def write(self, step, grads):
        norms = [float(tf.norm(grad)) for grad in grads]  #!
        self.lines.append((step, *norms))


class RareLog(Log):
    """Keeps the norms on the device and reads them once."""

    def __init__(self):
        super().__init__()
        self.kept = []

    def write(self, step, grads):
        self.kept.append(tf.stack([tf.norm(grad) for grad in grads]))

    def close(self):
        self.lines = tf.stack(self.kept).numpy().tolist()


def weave(log, steps=12):
    tension = Tension()
    threads = tf.reshape(tf.sin(tf.range(40.0)), [10, 4])
    target = tf.reduce_sum(threads, axis=1)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tension(threads) - target))
        grads = tape.gradient(loss, tension.warps)
        for warp, grad in zip(tension.warps, grads):
            warp.assign_sub(0.05 * grad)
        log.write(step, grads)
    return {f"warp{place}": grad for place, grad in enumerate(grads)}


def broken():
    return weave(Log())


def fixed():
    log = RareLog()
    grads = weave(log)
    log.close()
    return grads


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
