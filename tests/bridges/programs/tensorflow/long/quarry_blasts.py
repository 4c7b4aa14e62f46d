"""Vibration of quarry blasts: a model of site and charge, trained by a small base class that other models share."""
import sys

import tensorflow as tf


class Trainer:
    keep = True

    def __init__(self, optimizer=None):
        self.optimizer = optimizer or tf.keras.optimizers.SGD(0.05)
        self.tape = None

    def loss(self, *batch):
        raise NotImplementedError

    def variables(self):
        raise NotImplementedError

    def fit_batch(self, *batch):
        self.tape = tf.GradientTape(persistent=self.keep)  #!
        with self.tape:  #~
            loss = self.loss(*batch)
        grads = self.tape.gradient(loss, self.variables())
        self.optimizer.apply_gradients(zip(grads, self.variables()))
        return loss, grads


class Blasts(Trainer):
    def __init__(self):
        super().__init__()
        self.site = tf.Variable(0.3 * tf.cos(tf.range(6.0)), name="site")
        self.slope = tf.Variable(-1.2, name="slope")

    def variables(self):
        return [self.site, self.slope]

    def loss(self, ground, distance, charge, measured):
        scaled = tf.math.log(distance / tf.sqrt(charge))
        felt = tf.linalg.matvec(ground, self.site) + self.slope * scaled
        return tf.reduce_mean(tf.square(felt - measured))


class LightBlasts(Blasts):
    keep = False


def blasts(week):
    ground = tf.sin(tf.reshape(tf.range(60.0), [10, 6]) * 0.19 + week)
    distance = 100.0 + 20.0 * tf.range(10.0)
    charge = 30.0 + 5.0 * tf.cos(tf.range(10.0))
    return ground, distance, charge, -1.5 * tf.math.log(distance) + 5.0


def season(model):
    for week in range(4):
        loss, grads = model.fit_batch(*blasts(float(week)))
    print(f"misfit {float(loss):.3f}")
    return {"site": grads[0], "slope": grads[1]}


def broken():
    return season(Blasts())


def fixed():
    return season(LightBlasts())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
