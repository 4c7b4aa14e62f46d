"""Predicts blockages in a sewer net: a graph convolution over pipes, trained on weekly inspections."""
import sys

import numpy as np
import tensorflow as tf

PIPES, FEATURES = 24, 5
EDGES = [(p, (p * 7 + 3) % PIPES) for p in range(PIPES)] + [(p, (p + 1) % PIPES) for p in range(PIPES)]


def adjacency():
    links = np.zeros([PIPES, PIPES], np.float32)
    for a, b in EDGES:
        links[a, b] = links[b, a] = 1.0
    return tf.constant(links)


def normalise(links):
    looped = links + tf.eye(PIPES)
    degree = tf.reduce_sum(looped, axis=1)  #~
    root = tf.math.rsqrt(degree)  #~
    return root[:, tf.newaxis] * looped * root[tf.newaxis, :]  #!


class GraphConv(tf.keras.layers.Layer):
    def __init__(self, units, links, activation=None):
        super().__init__()
        self.units, self.links = units, links
        self.activation = tf.keras.activations.get(activation)

    def build(self, shape):
        start = 0.2 * np.sin(0.31 * np.arange(shape[-1] * self.units)).reshape(shape[-1], self.units)
        self.kernel = self.add_weight(
            shape=[shape[-1], self.units], name="kernel", initializer=tf.keras.initializers.Constant(start))

    def mixing(self):
        return normalise(self.links)  #~

    def call(self, pipes):
        return self.activation(self.mixing() @ (pipes @ self.kernel))  #~


class PreparedConv(GraphConv):
    def build(self, shape):
        super().build(shape)
        self.prepared = normalise(self.links)

    def mixing(self):
        return self.prepared


def inspect(conv, weeks=4):
    links = adjacency()
    model = tf.keras.Sequential([conv(8, links, "relu"), conv(1, links)])
    pipes = tf.sin(tf.reshape(tf.range(float(PIPES * FEATURES)), [PIPES, FEATURES]) * 0.23)
    blocked = tf.cast(tf.range(PIPES) % 3 == 0, tf.float32)
    model(pipes)
    optimizer = tf.keras.optimizers.SGD(0.1)
    for week in range(weeks):
        with tf.GradientTape() as tape:
            logits = model(pipes)[:, 0]
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(blocked, logits))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        if week % 2 == 1:
            print(f"week {week}: {float(loss):.4f}")
    return dict(zip((variable.path for variable in model.trainable_variables), grads))


def broken():
    return inspect(GraphConv)


def fixed():
    return inspect(PreparedConv)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
