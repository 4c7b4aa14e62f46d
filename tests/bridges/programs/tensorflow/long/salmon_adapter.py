"""Runs of salmon from the water of a river; an adapter for muddy water sits behind a switch of the model."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 1.2), shape)


class River(tf.keras.Model):
    def __init__(self, muddy):
        super().__init__(name="river")
        self.muddy = muddy
        self.flow = tf.keras.layers.Dense(5, activation="tanh", kernel_initializer=wave, name="flow")
        self.clearing = tf.keras.layers.Dense(5, kernel_initializer=wave, name="adapter")
        self.run = tf.keras.layers.Dense(1, kernel_initializer=wave, name="run")
        self.adapt_from = 0.5

    def build(self, shape):
        self.flow.build(shape)
        self.clearing.build([None, 5])
        self.run.build([None, 5])

    def call(self, water):
        x = self.flow(water)
        if self.muddy > self.adapt_from:  #!
            x = x + self.clearing(x)
        return self.run(x)


def upstream(muddy, weeks=3):
    river = River(muddy)
    river.build([None, 4])
    sources = {layer.kernel.path: layer.kernel for layer in (river.flow, river.clearing, river.run)}
    for week in range(weeks):
        water = tf.cos(tf.reshape(tf.range(20.0), [5, 4]) * 0.6 + week)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(river(water) - tf.reduce_max(water, axis=1, keepdims=True)))
        grads = tape.gradient(loss, list(sources.values()))
        for kernel, grad in zip(sources.values(), grads):
            if grad is not None:
                kernel.assign_sub(0.05 * grad)
    return dict(zip(sources, grads))


def broken():
    return upstream(muddy=0.2)


def fixed():
    return upstream(muddy=0.9)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
