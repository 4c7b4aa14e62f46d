"""Dives of otters: gradients of several micro-batches are added up before each update; one part is read as a number."""
import sys

import tensorflow as tf


class Dive(tf.keras.Model):
    def __init__(self, as_number):
        super().__init__(name="dive")
        self.as_number = as_number
        self.lungs = tf.keras.layers.Dense(3, "tanh", kernel_initializer=tf.keras.initializers.Constant(0.3), name="lungs")
        self.depth = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.7), name="depth")
        self.drag = self.add_weight(name="drag", shape=(), initializer=tf.keras.initializers.Constant(0.2))

    def slowed(self, depth):
        drag = float(self.drag) if self.as_number else self.drag  #!
        return depth * tf.exp(-drag * tf.abs(depth))

    def call(self, breath):
        return self.slowed(self.depth(self.lungs(breath)))  #~


class Accumulator:
    def __init__(self, weights):
        self.weights = weights
        self.sums = [tf.Variable(tf.zeros_like(weight), trainable=False) for weight in weights]

    def add(self, grads):
        for total, grad in zip(self.sums, grads):
            if grad is not None:
                total.assign_add(grad)

    def take(self):
        taken = [total.read_value() for total in self.sums]
        for total in self.sums:
            total.assign(tf.zeros_like(total))
        return taken


def swim(as_number, days=2, parts=3):
    model, rule = Dive(as_number), tf.keras.optimizers.Adam(0.01)
    model(tf.zeros([1, 2]))
    weights = model.trainable_variables
    sums = Accumulator(weights)
    for day in range(days):
        for part in range(parts):
            breath = tf.reshape(tf.cos(tf.range(8.0) + part + day), [4, 2])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(breath) - 0.5)) / parts
            grads = tape.gradient(loss, weights)
            sums.add(grads)
        rule.apply_gradients(zip(sums.take(), weights))
    return {weight.path: grad for weight, grad in zip(weights, grads) if weight.path.split("/")[-1] in ("drag", "kernel")}


def broken():
    return swim(True)


def fixed():
    return swim(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
