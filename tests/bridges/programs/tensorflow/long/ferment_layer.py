"""Beer fermentation as a layer: Euler steps of sugar and yeast within a model that predicts the final gravity."""
import sys

import tensorflow as tf


class Fermenter(tf.keras.layers.Layer):
    def __init__(self, hours=72, **options):
        super().__init__(**options)
        self.hours = hours

    def build(self, shape):
        self.growth = self.add_weight(shape=[], name="growth", initializer=tf.keras.initializers.Constant(0.3))
        self.decay = self.add_weight(shape=[], name="decay", initializer=tf.keras.initializers.Constant(0.02))

    def hour(self, sugar, yeast):
        eaten = self.growth * sugar * yeast / (0.5 + sugar)  #!
        return sugar - 0.1 * eaten, yeast + 0.05 * eaten - 0.05 * self.decay * yeast  #~

    def call(self, start):
        sugar, yeast = start[:, 0], start[:, 1]
        for _ in range(self.hours):  #~
            sugar, yeast = self.hour(sugar, yeast)  #~
        return sugar


class LoopedFermenter(Fermenter):
    def call(self, start):
        sugar, yeast = start[:, 0], start[:, 1]
        _, sugar, yeast = tf.while_loop(
            lambda hour, sugar, yeast: hour < self.hours,
            lambda hour, sugar, yeast: (hour + 1, *self.hour(sugar, yeast)),
            [0, sugar, yeast])
        return sugar


class Brewery:
    def __init__(self, fermenter):
        self.fermenter = fermenter
        self.optimizer = tf.keras.optimizers.Adam(0.01)

    @tf.function
    def train_step(self, start, gravity):
        with tf.GradientTape() as tape:
            predicted = self.fermenter(start)
            loss = tf.reduce_mean(tf.square(predicted - gravity))
        grads = tape.gradient(loss, self.fermenter.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.fermenter.trainable_variables))
        return loss, grads


def season(fermenter, brews=3):
    brewery = Brewery(fermenter)
    data = tf.data.Dataset.range(brews).map(lambda b: (
        1.0 + 0.1 * tf.sin(tf.reshape(tf.range(10.0), [5, 2]) + tf.cast(b, tf.float32)), tf.fill([5], 0.4)))
    for start, gravity in data:
        loss, grads = brewery.train_step(start, gravity)
    tf.print("loss", loss)
    return {"fermenter/growth": grads[0], "fermenter/decay": grads[1]}


def broken():
    return season(Fermenter())


def fixed():
    return season(LoopedFermenter())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
