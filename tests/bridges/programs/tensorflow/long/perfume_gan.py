"""A generator of perfumes against a judge; the losses are written as in the paper, with logarithms of chances."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.5 + 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.9), shape)


class Perfumes(tf.Module):
    def __init__(self):
        super().__init__(name="perfumes")
        self.blend = tf.Variable(wave([3, 4]), name="blend")
        self.judge = tf.Variable(wave([4, 1]), name="judge")

    def chance(self, perfumes):
        return tf.sigmoid(perfumes @ self.judge)

    def judge_loss(self, real, fake):
        found = tf.math.log(self.chance(real))
        doubted = tf.math.log(1.0 - self.chance(fake))  #!
        return -tf.reduce_mean(found) - tf.reduce_mean(doubted)


class LogitPerfumes(Perfumes):
    def judge_loss(self, real, fake):
        return tf.reduce_mean(tf.nn.softplus(-real @ self.judge)) + tf.reduce_mean(tf.nn.softplus(fake @ self.judge))


@tf.function
def duel(model, essences, real):
    with tf.GradientTape() as tape:
        fake = essences @ model.blend
        loss = model.judge_loss(real, fake)
    return loss, tape.gradient(loss, {"blend": model.blend, "judge": model.judge})


def evenings(model, count=3):
    for evening in range(count):
        essences = (1.0 + 6.0 * evening) * (1.2 + tf.cos(tf.reshape(tf.range(15.0), [5, 3])))
        real = tf.abs(tf.sin(tf.reshape(tf.range(20.0), [5, 4])))
        loss, grads = duel(model, essences, real)
        print("evening", evening, "loss", float(loss), file=sys.stderr)
    return grads


def broken():
    return evenings(Perfumes())


def fixed():
    return evenings(LogitPerfumes())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
