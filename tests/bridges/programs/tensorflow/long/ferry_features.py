"""Delay of ferries from whatever a harbour reports: some give the tide, some the fog, some both."""
import sys

import tensorflow as tf


class DelayModel(tf.keras.Model):
    FEATURES = ("wind", "tide", "fog")

    def __init__(self):
        super().__init__(name="delay")
        self.scales = {
            name: self.add_weight(shape=(), initializer=tf.keras.initializers.Constant(0.1 * (place + 1)), name=name)
            for place, name in enumerate(self.FEATURES)
        }

    def call(self, report):
        return tf.add_n([self.scales[name] * report[name] for name in self.FEATURES if name in report])


class Harbour:
    def __init__(self, fill):
        self.model, self.fill = DelayModel(), fill
        self.optimizer = tf.keras.optimizers.SGD(0.05)

    def complete(self, report):
        return {name: report.get(name, tf.zeros_like(report["wind"])) for name in DelayModel.FEATURES} if self.fill else report

    @tf.function
    def learn(self, report, delay):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(report) - delay))
        return tape.gradient(loss, list(self.model.scales.values()))

    def day(self, reports):
        for report, delay in reports:
            grads = self.learn(self.complete(report), delay)  #!
            self.optimizer.apply_gradients(zip(grads, self.model.scales.values()))
        return grads


def reports():
    wind = tf.sin(tf.range(6.0)) + 1.0
    tide, fog, delay = tf.cos(wind), tf.exp(-wind), 0.3 * wind
    return [
        ({"wind": wind, "tide": tide, "fog": fog}, delay),
        ({"wind": wind, "tide": tide}, delay),
        ({"wind": wind, "fog": fog}, delay),
        ({"wind": wind, "tide": tide, "fog": fog}, delay),
    ]


def broken():
    return dict(zip(("delay/wind", "delay/tide", "delay/fog"), Harbour(False).day(reports())))


def fixed():
    return dict(zip(("delay/wind", "delay/tide", "delay/fog"), Harbour(True).day(reports())))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
