"""An encoder and two heads for potions: one tape for everything, with an update for each part."""
import sys

import tensorflow as tf


class Potions(tf.Module):
    def __init__(self):
        super().__init__(name="potions")
        self.mix = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(24.0)), [4, 6]), name="mix")
        self.colour = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(18.0)), [6, 3]), name="colour")
        self.taste = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(6.0)), [6, 1]), name="taste")

    def losses(self, parts, colours, tastes):
        mixed = tf.nn.elu(parts @ self.mix)
        by_colour = tf.nn.sparse_softmax_cross_entropy_with_logits(colours, mixed @ self.colour)
        by_taste = tf.square(mixed @ self.taste - tastes)
        return tf.reduce_mean(by_colour) + 0.5 * tf.reduce_mean(by_taste)


class Momentum:
    def __init__(self, variables, rate=0.05, keep=0.9):
        self.variables, self.rate, self.keep = variables, rate, keep
        self.speeds = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply(self, grads):
        for variable, speed, grad in zip(self.variables, self.speeds, grads):
            speed.assign(self.keep * speed + grad)
            variable.assign_sub(self.rate * speed)


def train(persistent, steps=4):
    potions = Potions()
    variables = [potions.mix, potions.colour, potions.taste]
    optimizer = Momentum(variables)
    parts = tf.reshape(tf.sin(tf.range(40.0) * 0.21), [10, 4])
    colours, tastes = tf.range(10) % 3, tf.reshape(tf.cos(tf.range(10.0)), [10, 1])
    for _ in range(steps):
        with tf.GradientTape(persistent=persistent) as tape:  #!
            loss = potions.losses(parts, colours, tastes)
        grads = tape.gradient(loss, variables)  #~
        optimizer.apply(grads)
    return dict(zip(("mix", "colour", "taste"), grads))


def broken():
    return train(persistent=True)


def fixed():
    return train(persistent=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
