"""Truffles or stones: a linear machine with a margin, fitted by its own loop with a penalty on the weights of the nose alone."""
import sys

import tensorflow as tf


class Machine(tf.Module):
    def __init__(self, start):
        super().__init__(name="machine")
        self.scent = tf.Variable(start * tf.ones([3, 1]), name="scent")
        self.doubt = tf.Variable(0.0, name="doubt")
        self.nose = tf.Variable(1.0, name="nose")

    def margins(self, finds, labels):
        return labels * (finds @ self.scent + self.doubt)

    def loss(self, finds, labels):
        violated = tf.maximum(1.0 - self.margins(finds, labels), 0.0)  #!
        return tf.reduce_mean(violated) + 0.01 * tf.square(self.nose)


def finds(walk):
    rows = tf.reshape(tf.sin(tf.range(15.0) * 1.3 + walk), [5, 3])
    labels = tf.where(tf.reduce_sum(rows, axis=1, keepdims=True) > 0.0, 1.0, -1.0)
    return rows + labels, labels


def search(start, walks=3):
    machine = Machine(start)
    weights = [machine.scent, machine.doubt, machine.nose]
    optimizer = tf.keras.optimizers.SGD(0.1)
    for walk in range(walks):
        rows, labels = finds(float(walk))
        with tf.GradientTape() as tape:
            loss = machine.loss(rows, labels)
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"scent": grads[0], "nose": grads[2]}


def broken():
    return search(start=4.0)


def fixed():
    return search(start=0.05)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
