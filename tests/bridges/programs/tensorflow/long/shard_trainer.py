"""Accumulates gradients over micro-batches; layers are created on their first call."""
import sys

import tensorflow as tf


class Dense:
    def __init__(self, units, name):
        self.units, self.name, self.kernel = units, name, None

    def variables(self):
        return [self.kernel] if self.kernel is not None else []

    def __call__(self, inputs):
        if self.kernel is None:
            count = inputs.shape[-1] * self.units
            start = 0.2 * tf.reshape(tf.sin(tf.range(float(count))), [inputs.shape[-1], self.units])
            self.kernel = tf.Variable(start, name=self.name)
        return tf.matmul(inputs, self.kernel)  #~


class Network:
    def __init__(self):
        self.encode = Dense(4, "encode")
        self.decode = Dense(1, "decode")
        self.scale = tf.Variable(1.0, name="scale")

    def variables(self):
        return [self.scale, *self.encode.variables(), *self.decode.variables()]

    def __call__(self, inputs):
        return self.scale * self.decode(tf.nn.softsign(self.encode(inputs)))


def micro_batches(count=3, size=4):
    data = tf.reshape(tf.cos(tf.range(float(count * size * 3))), [count, size, 3])
    for part in tf.unstack(data):
        yield part, tf.reduce_sum(part, axis=1, keepdims=True)


def first_gradients(network):
    inputs, targets = next(micro_batches())
    with tf.GradientTape(watch_accessed_variables=False) as tape:  #!
        tape.watch(network.variables())  #~
        loss = tf.reduce_mean(tf.square(network(inputs) - targets))
    return tape.gradient(loss, [network.scale, network.encode.kernel, network.decode.kernel])


def accumulate(network):
    total = None
    for inputs, targets in micro_batches():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(network(inputs) - targets))
        grads = tape.gradient(loss, network.variables())
        total = grads if total is None else [a + b for a, b in zip(total, grads)]
    return total


def named(grads):
    return dict(zip(["scale", "encode", "decode"], grads))


def broken():
    network = Network()
    return named(first_gradients(network))


def fixed():
    network = Network()
    network(next(micro_batches())[0])
    first_gradients(network)
    return named(accumulate(network))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
