"""Ranks orchards for a buyer: the better of a pair should be ahead by a margin."""
import sys

import tensorflow as tf


class Ranking(tf.keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.taste = self.add_weight(shape=(3,), initializer=tf.keras.initializers.Constant(2.0), name="taste")
        self.price = self.add_weight(shape=(), initializer="ones", name="price")

    def call(self, orchards, prices):
        return tf.linalg.matvec(orchards, self.taste), self.price * prices


def pair_loss(better, worse, margin):
    return tf.reduce_mean(tf.maximum(0.0, margin - (better - worse)))  #!


def smooth_loss(better, worse, margin):
    return tf.reduce_mean(tf.nn.softplus(margin - (better - worse)))


def buy(loss_of, autumns=3):
    ranking = Ranking(name="ranking")
    for autumn in range(autumns):
        good = 2.0 + tf.sin(tf.reshape(tf.range(12.0), [4, 3]) + autumn)
        poor = 0.2 * tf.cos(tf.reshape(tf.range(12.0), [4, 3]))
        with tf.GradientTape() as tape:
            better, asked = ranking(good, tf.linspace(1.0, 2.0, 4))
            worse, _ = ranking(poor, tf.linspace(1.0, 2.0, 4))
            loss = loss_of(better, worse, 1.0) + 0.1 * tf.reduce_mean(tf.square(asked - 1.0))
        taste, price = tape.gradient(loss, [ranking.taste, ranking.price])
        ranking.price.assign_sub(0.1 * price)
    return {"ranking/taste": taste, "ranking/price": price}


def broken():
    return buy(pair_loss)


def fixed():
    return buy(smooth_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
