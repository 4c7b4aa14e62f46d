"""Forecasts a bakery's demand with a regulariser and a loss scale from a configuration."""
import dataclasses
import sys

import tensorflow as tf


@dataclasses.dataclass
class Settings:
    learning_rate: float = 0.05
    penalty: float = 0.1
    loss_scale: float = 128.0


class Demand(tf.Module):
    def __init__(self):
        super().__init__(name="demand")
        self.weekday = tf.Variable(tf.linspace(0.8, 1.4, 7), name="weekday")
        self.smoothness = tf.Variable(0.5, name="smoothness")

    def predict(self, days):
        return tf.gather(self.weekday, days)

    def roughness(self):
        steps = self.weekday[1:] - self.weekday[:-1]
        return self.smoothness * tf.reduce_sum(tf.square(steps)) + tf.square(self.smoothness - 1.0)


class Trainer:
    def __init__(self, settings):
        self.settings = settings
        self.demand = Demand()
        self.days = tf.range(14) % 7
        self.sold = 1.0 + 0.3 * tf.sin(tf.range(14.0))

    def fit_error(self):
        return tf.reduce_mean(tf.square(self.demand.predict(self.days) - self.sold))

    def unscaled(self, grads):
        scale = self.settings.loss_scale
        return [None if grad is None else tf.convert_to_tensor(grad) / scale for grad in grads]

    def gradients(self):
        with tf.GradientTape() as tape:
            error = self.fit_error()
            roughness = self.demand.roughness()
        loss = error + self.settings.penalty * roughness  #!
        scaled = loss * self.settings.loss_scale
        grads = tape.gradient(scaled, [self.demand.weekday, self.demand.smoothness])
        return dict(zip(["weekday", "smoothness"], self.unscaled(grads)))


class RepairedTrainer(Trainer):
    def gradients(self):
        with tf.GradientTape() as tape:
            loss = self.fit_error() + self.settings.penalty * self.demand.roughness()
            scaled = loss * self.settings.loss_scale
        grads = tape.gradient(scaled, [self.demand.weekday, self.demand.smoothness])
        return dict(zip(["weekday", "smoothness"], self.unscaled(grads)))


def broken():
    return Trainer(Settings()).gradients()


def fixed():
    return RepairedTrainer(Settings()).gradients()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
