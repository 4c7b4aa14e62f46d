"""Predicts the speed of rowing crews: a penalty on the crews' embedding goes into loss and log."""
import sys

import tensorflow as tf


class CrewModel(tf.Module):
    def __init__(self, rowers=5, width=24):
        super().__init__(name="crew")
        self.stroke = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(float(rowers * width))), [rowers, width]), name="stroke")
        self.pull = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(float(width))), [width, 1]), name="pull")

    def embed(self, crews):
        return tf.nn.gelu(crews @ self.stroke)

    def speed(self, embedded):
        return tf.squeeze(embedded @ self.pull, axis=1)


class Coach:
    def __init__(self, model):
        self.model = model

    def spread(self, crews):
        centred = self.model.embed(crews)  #~
        return tf.reduce_mean(tf.square(centred - tf.reduce_mean(centred, axis=0)))

    def losses(self, crews, times):
        miss = tf.reduce_mean(tf.square(self.model.speed(self.model.embed(crews)) - times))
        return miss, 0.01 * self.spread(crews)  #!

    def train(self, crews, times, rounds=4):
        weights = {"stroke": self.model.stroke, "pull": self.model.pull}
        for _ in range(rounds):
            with tf.GradientTape() as tape:
                miss, penalty = self.losses(crews, times)
                total = miss + penalty
            grads = tape.gradient(total, weights)
            for name, weight in weights.items():
                weight.assign_sub(0.1 * grads[name])
        return grads


class FrugalCoach(Coach):
    def losses(self, crews, times):
        embedded = self.model.embed(crews)
        miss = tf.reduce_mean(tf.square(self.model.speed(embedded) - times))
        return miss, 0.01 * tf.reduce_mean(tf.square(embedded - tf.reduce_mean(embedded, axis=0)))


def regatta(kind):
    crews = tf.reshape(tf.sin(tf.range(300.0) * 0.7), [60, 5])
    return kind(CrewModel()).train(crews, tf.reduce_max(crews, axis=1))


def broken():
    return regatta(Coach)


def fixed():
    return regatta(FrugalCoach)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
