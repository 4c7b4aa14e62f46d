"""An ensemble of three harvest models, each with its loss, trained from one loop."""
import sys

import tensorflow as tf


class Member:
    def __init__(self, name, phase):
        self.name = name
        self.kernel = tf.Variable(0.4 * tf.sin(tf.range(5.0) + phase)[:, tf.newaxis], name=f"{name}_kernel")
        self.level = tf.Variable(tf.fill([1], 0.2 * phase), name=f"{name}_level")

    @property
    def weights(self):
        return [self.kernel, self.level]

    def miss(self, fields, tonnes):
        return tf.reduce_mean(tf.square(tf.nn.softplus(fields @ self.kernel) + self.level - tonnes))  #!


class Ensemble:
    def __init__(self, names):
        self.members = [Member(name, 1.0 + number) for number, name in enumerate(names)]

    def losses(self, fields, tonnes):
        losses, tapes = {}, {}
        for member in self.members:
            with tf.GradientTape() as tape:
                losses[member.name] = member.miss(fields, tonnes)  #~
            tapes[member.name] = tape
        return losses, tapes, tape

    def gradients(self, fields, tonnes):
        losses, tapes, tape = self.losses(fields, tonnes)
        return {m.name: tape.gradient(losses[m.name], m.weights) for m in self.members[-2:-1]}  #~


class KeptTapes(Ensemble):
    def gradients(self, fields, tonnes):
        losses, tapes, _ = self.losses(fields, tonnes)
        return {m.name: tapes[m.name].gradient(losses[m.name], m.weights) for m in self.members[-2:-1]}


def season(ensemble):
    fields = tf.reshape(tf.cos(tf.range(30.0) * 0.4), [6, 5])
    tonnes = tf.reshape(tf.linspace(1.0, 3.0, 6), [6, 1])
    grads = ensemble.gradients(fields, tonnes)
    return {f"{name}_{part}": g for name, pair in grads.items() for part, g in zip(("kernel", "level"), pair)}


def broken():
    return season(Ensemble(["wheat", "rye", "oats"]))


def fixed():
    return season(KeptTapes(["wheat", "rye", "oats"]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
