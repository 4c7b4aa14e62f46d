"""Forecasts hail from radar columns: residual blocks as tf.Modules, trained by a compiled step over a data
set.
"""
import sys

import tensorflow as tf


class Block(tf.Module):
    """x + W2 tanh(W1 x): keeps the width."""

    def __init__(self, index, width):
        super().__init__(name=f"block_{index}")
        wave = tf.reshape(tf.sin(tf.range(float(width * width)) + index), [width, width])
        self.inner = tf.Variable(0.3 * wave, name=f"inner_{index}")  #!
        self.outer = tf.Variable(0.3 * tf.transpose(wave), name=f"outer_{index}")  #!

    def __call__(self, x):
        return x + tf.tanh(x @ self.inner) @ self.outer


class Columns(tf.Module):
    def __init__(self, depth, width=5):
        super().__init__(name="columns")
        self.blocks = [Block(k, width) for k in range(depth)]  #~
        self.out = tf.Variable(0.2 * tf.ones([width, 1]), name="out")

    def features(self, x):
        for block in self.blocks[:-1]:
            x = block(x)
        return x

    def __call__(self, x):
        return tf.squeeze(self.features(x) @ self.out, axis=1)


class DeepColumns(Columns):
    def features(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Momentum:
    """Plain momentum with a dictionary of velocities."""

    def __init__(self, variables, rate=0.05, decay=0.8):
        self.rate, self.decay = rate, decay
        self.velocity = {v.name: tf.Variable(tf.zeros_like(v), trainable=False) for v in variables}

    def apply(self, pairs):
        for grad, variable in pairs:
            if grad is None:
                continue
            velocity = self.velocity[variable.name]
            velocity.assign(self.decay * velocity + grad)
            variable.assign_sub(self.rate * velocity)


def radar():
    columns = tf.reshape(tf.cos(tf.range(60.0) * 0.4), [12, 5])
    hail = tf.cast(tf.reduce_sum(columns, axis=1) > 0.0, tf.float32)
    return tf.data.Dataset.from_tensor_slices((columns, hail)).batch(4).prefetch(1)


def train(model):
    sources = list(model.trainable_variables)
    optimizer = Momentum(sources)

    @tf.function
    def step(columns, hail):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(hail, model(columns)))
        grads = tape.gradient(loss, sources)
        optimizer.apply(zip(grads, sources))
        return grads

    for columns, hail in radar():
        grads = step(columns, hail)
    return {v.name.split(":")[0]: grad for v, grad in zip(sources, grads)}


def broken():
    return train(Columns(depth=3))


def fixed():
    return train(DeepColumns(depth=3))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
