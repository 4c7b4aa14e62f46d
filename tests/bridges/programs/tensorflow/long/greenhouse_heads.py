"""A greenhouse controller with two heads; the second head's weights are shared out but its loss is left
for later.
"""
import sys

import tensorflow as tf


class Shared(tf.Module):
    def __init__(self):
        super().__init__(name="shared")
        self.trunk = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(20.0)), [4, 5]), name="trunk")
        self.heads = {}
        for number, name in enumerate(("heating", "vents")):
            wave = 0.3 * tf.cos(tf.range(5.0) + number)
            self.heads[name] = tf.Variable(wave[:, tf.newaxis], name=f"{name}_head")

    def __call__(self, climate):
        x = tf.nn.softplus(climate @ self.trunk)
        return {name: tf.squeeze(x @ head, axis=1) for name, head in self.heads.items()}


class Controller:
    def __init__(self, penalties):
        self.net = Shared()
        self.penalties = penalties

    def loss(self, climate, wanted):
        settings = self.net(climate)
        total = tf.constant(0.0)
        for name, weight in self.penalties.items():
            error = settings[name] - wanted[name]
            total += weight * tf.reduce_mean(tf.square(error))  #!
        return total

    def gradients(self, climate, wanted):
        sources = {"trunk": self.net.trunk, **{f"{name}_head": head for name, head in self.net.heads.items()}}
        with tf.GradientTape() as tape:
            loss = self.loss(climate, wanted)
        return sources, tape.gradient(loss, sources, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def control(penalties, rounds=3, rate=0.05):
    climate = tf.reshape(tf.sin(tf.range(24.0) * 0.5), [6, 4])
    wanted = {"heating": tf.linspace(0.2, 0.8, 6), "vents": tf.linspace(0.9, 0.1, 6)}
    controller = Controller(penalties)
    for _ in range(rounds):
        sources, grads = controller.gradients(climate, wanted)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return control({"heating": 1.0})


def fixed():
    return control({"heating": 1.0, "vents": 0.5})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
