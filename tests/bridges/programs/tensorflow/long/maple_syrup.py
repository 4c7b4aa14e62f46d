"""Predicts sap from nights and days; the window of days grows until the season is there."""
import sys

import tensorflow as tf


class SapModel(tf.Module):
    def __init__(self):
        super().__init__(name="sap")
        self.frost = tf.Variable([0.4, -0.3], name="frost")
        self.thaw = tf.Variable(0.2, name="thaw")

    def flow(self, days):
        return tf.nn.softplus(tf.linalg.matvec(days, self.frost) + self.thaw)


class Season:
    def __init__(self, signature):
        self.model = SapModel()
        self.step = tf.function(self.gradients, input_signature=signature)

    def gradients(self, days, sap):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model.flow(days) - sap))
        return tape.gradient(loss, {"frost": self.model.frost, "thaw": self.model.thaw})

    def follow(self, last):
        for end in range(2, last):
            days = tf.reshape(tf.sin(tf.range(2.0 * end)), [end, 2])
            grads = self.step(days, tf.reduce_sum(days, axis=1))  #!
            self.model.frost.assign_sub(0.1 * grads["frost"])
            self.model.thaw.assign_sub(0.1 * grads["thaw"])
        return grads


OPEN = [tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.float32)]


def broken():
    return Season(None).follow(6)


def fixed():
    return Season(OPEN).follow(6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
