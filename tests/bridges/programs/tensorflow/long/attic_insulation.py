"""Heat lost through attics; features of the houses go through a scaler object before the tape of each trainer."""
import sys

import tensorflow as tf


class Scaler(tf.Module):
    def __init__(self):
        super().__init__(name="scaler")
        self.stretch = tf.Variable([1.2, 0.8, 1.0], name="stretch")

    def __call__(self, houses):
        return houses * self.stretch


class Walls(tf.Module):
    def __init__(self):
        super().__init__(name="walls")
        self.loss_rate = tf.Variable([[0.3], [0.5], [0.2]], name="loss_rate")

    def __call__(self, scaled):
        return tf.nn.softplus(scaled @ self.loss_rate)


def preparing(scaler):
    """The steps that bring raw houses into shape, as a list of functions."""
    return [lambda houses: houses - 0.5, scaler]


def prepare(houses, steps):
    for one in steps:
        houses = one(houses)
    return houses


def train_outside(walls, steps, houses, bills):
    ready = prepare(houses, steps)  #!
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(walls(ready) - bills))
    return tape, loss


def train_inside(walls, steps, houses, bills):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(walls(prepare(houses, steps)) - bills))
    return tape, loss


def winter(train):
    scaler, walls = Scaler(), Walls()
    houses = tf.reshape(tf.abs(tf.sin(tf.range(24.0))), [8, 3])
    bills = tf.reduce_sum(houses, axis=1, keepdims=True)
    print("mean of the prepared", float(tf.reduce_mean(prepare(houses, preparing(scaler)))))
    tape, loss = train(walls, preparing(scaler), houses, bills)
    stretch, loss_rate = tape.gradient(loss, [scaler.stretch, walls.loss_rate])
    return {"stretch": stretch, "loss_rate": loss_rate}


def broken():
    return winter(train_outside)


def fixed():
    return winter(train_inside)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
