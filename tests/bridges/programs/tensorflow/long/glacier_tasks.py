"""Two tasks from one glacier's readings, melt and calving; a task counts only where it was measured."""
import sys

import tensorflow as tf


class Heads(tf.Module):
    def __init__(self):
        super().__init__(name="heads")
        self.trunk = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="trunk")
        self.melt_head = tf.Variable([[0.4], [0.1], [-0.2]], name="melt_head")
        self.calving_head = tf.Variable([[0.2], [-0.3], [0.5]], name="calving_head")

    def __call__(self, readings):
        shared = tf.tanh(readings @ self.trunk)
        return shared @ self.melt_head, shared @ self.calving_head


def measured(values, missing):
    return tf.cast(tf.not_equal(values, missing), tf.float32)


def masked_error(predicted, values, missing):
    counted = measured(values, missing)
    error = counted * tf.square(predicted - values)  #!
    return tf.reduce_sum(error) / (tf.reduce_sum(counted) + 1e-6)


def survey(year, missing):
    readings = tf.sin(tf.reshape(tf.range(24.0), [6, 4]) * 0.3 + year)
    melt = tf.reduce_mean(readings, axis=1, keepdims=True)
    calving = -tf.ones([6, 1])
    return readings, melt, calving, missing


def observe(missing, years=3):
    heads = Heads()
    sources = {"trunk": heads.trunk, "melt_head": heads.melt_head, "calving_head": heads.calving_head}
    for year in range(years):
        readings, melt, calving, code = survey(year, missing)
        with tf.GradientTape() as tape:
            melting, breaking = heads(readings)
            loss = masked_error(melting, melt, code) + masked_error(breaking, calving, code)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(0.1 * grads[name])
    return grads


def broken():
    return observe(missing=-1.0)


def fixed():
    return observe(missing=-999.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
