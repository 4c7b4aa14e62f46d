"""Which gear suits a slope: every ride of a batch goes through the model by tf.map_fn."""
import sys

import tensorflow as tf


class Gears(tf.Module):
    def __init__(self):
        super().__init__(name="gears")
        self.leg = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(24.0)), [4, 6]), name="leg")
        self.gear = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(18.0)), [6, 3]), name="gear")

    def scores(self, ride):
        effort = tf.tanh(tf.linalg.matvec(self.leg, ride, transpose_a=True))
        return tf.nn.log_softmax(tf.linalg.matvec(self.gear, effort, transpose_a=True))

    def batch(self, rides):
        return tf.map_fn(self.scores, rides)  #!


class BatchedGears(Gears):
    def batch(self, rides):
        return tf.nn.log_softmax(tf.tanh(rides @ self.leg) @ self.gear)


def likelihood(scores, gears):
    return -tf.reduce_mean(tf.gather(scores, gears, axis=1, batch_dims=1))


def commute(model, weeks=3):
    optimizer = tf.keras.optimizers.SGD(0.1)
    for week in range(weeks):
        rides = tf.reshape(tf.cos(tf.range(64.0) * 0.3 + week), [16, 4])
        gears = (tf.range(16) + week) % 3
        with tf.GradientTape() as tape:
            loss = likelihood(model.batch(rides), gears)
        grads = tape.gradient(loss, [model.leg, model.gear])
        optimizer.apply_gradients(zip(grads, [model.leg, model.gear]))
    return dict(zip(("leg", "gear"), grads))


def broken():
    return commute(Gears())


def fixed():
    return commute(BatchedGears())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
