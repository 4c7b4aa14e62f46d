"""Trains a harvest forecast; metrics collect the loss over the batches of an epoch."""
import sys

import keras
import tensorflow as tf


class Forecast:
    def __init__(self):
        self.weights = tf.Variable([[0.3], [0.1], [-0.2]], name="weights")
        self.level = tf.Variable([0.5], name="level")

    def __call__(self, weather):
        return tf.matmul(weather, self.weights) + self.level


class Epoch:
    def __init__(self, forecast):
        self.forecast = forecast
        self.mean_loss = keras.metrics.Mean(name="mean_loss")

    def batches(self):
        weather = tf.reshape(tf.sin(tf.range(36.0)), [12, 3])
        harvest = 1.0 + tf.reduce_sum(weather, axis=1, keepdims=True)
        return tf.data.Dataset.from_tensor_slices((weather, harvest)).batch(4)

    def batch_loss(self, weather, harvest):
        return tf.reduce_mean(tf.abs(self.forecast(weather) - harvest))

    def collect(self):
        for weather, harvest in self.batches():
            loss = self.batch_loss(weather, harvest)
            self.mean_loss.update_state(loss)  #!
        return self.mean_loss.result()  #~

    def gradients(self):
        with tf.GradientTape() as tape:
            epoch_loss = self.collect()
        grads = tape.gradient(epoch_loss, [self.forecast.weights, self.forecast.level])
        return dict(zip(["weights", "level"], grads))


class SummedEpoch(Epoch):
    def collect(self):
        losses = []
        for weather, harvest in self.batches():
            losses.append(self.batch_loss(weather, harvest))
            self.mean_loss.update_state(losses[-1])
        return tf.add_n(losses) / len(losses)


def broken():
    return Epoch(Forecast()).gradients()


def fixed():
    return SummedEpoch(Forecast()).gradients()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
