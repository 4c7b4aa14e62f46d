"""Watches the health of a herd by several measurements; what a sensor did not measure counts as 0 in the
loss.
"""
import sys

import tensorflow as tf


class HerdModel(tf.Module):
    def __init__(self):
        super().__init__(name="herd")
        self.body = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(20.0)), [4, 5]), name="body")
        self.heads = {
            name: tf.Variable(0.4 * tf.cos(tf.range(5.0) + number)[:, tf.newaxis], name=name)
            for number, name in enumerate(("weight", "milk", "fever"))
        }

    def __call__(self, cows):
        x = tf.nn.silu(cows @ self.body)
        return {name: tf.squeeze(x @ head, axis=1) for name, head in self.heads.items()}

    def sources(self):
        return {"body": self.body, **self.heads}


class Measured:
    """Which values of a record are measurements."""

    def __init__(self, limits):
        self.limits = limits

    def of(self, name, values):
        lowest, highest = self.limits[name]
        return tf.logical_and(values > lowest, values < highest)


class HerdLoss:
    def __init__(self, measured):
        self.measured = measured

    def of_head(self, name, predicted, truth):
        error = tf.square(predicted - truth)
        return tf.where(self.measured.of(name, truth), error, tf.zeros_like(error))  #!

    def __call__(self, predicted, truth):
        return tf.add_n(
            [tf.reduce_mean(self.of_head(name, predicted[name], truth[name])) for name in predicted]
        )


def barn(cows=9):
    day = tf.range(float(cows))
    features = tf.reshape(tf.cos(tf.range(cows * 4.0) * 0.3), [cows, 4])
    truth = {"weight": 6.0 + tf.sin(day), "milk": 2.5 + 0.3 * tf.cos(day), "fever": 38.5 + 0.2 * tf.sin(day)}
    truth["milk"] = tf.where(tf.range(cows) % 4 == 1, -1.0, truth["milk"])
    return tf.data.Dataset.from_tensor_slices((features, truth)).batch(3)


def train(limits, rate=0.01):
    model, criterion = HerdModel(), HerdLoss(Measured(limits))
    sources = model.sources()
    for features, truth in barn():
        with tf.GradientTape() as tape:
            loss = criterion(model(features), truth)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * tf.clip_by_norm(grads[name], 5.0))
    return grads


LIMITS = {"weight": (0.0, 12.0), "milk": (0.0, 8.0), "fever": (0.0, 12.0)}


def broken():
    return train(LIMITS)


def fixed():
    return train({**LIMITS, "fever": (30.0, 45.0)})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
