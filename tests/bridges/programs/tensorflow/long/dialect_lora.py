"""Adapts a speech model to a dialect by low-rank updates beside frozen weights."""
import sys

import tensorflow as tf


class LowRank(tf.Module):
    """Frozen kernel plus down @ up."""

    def __init__(self, name, size, rank, spread):
        super().__init__(name=name)
        self.frozen = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(float(size * size))), [size, size]), trainable=False)
        self.down = tf.Variable(spread * tf.reshape(tf.sin(tf.range(float(size * rank))), [size, rank]), name=f"{name}_down")
        self.up = tf.Variable(tf.zeros([rank, size]), name=f"{name}_up")

    def __call__(self, speech):
        return speech @ self.frozen + (speech @ self.down) @ self.up  #!


class Dialect(tf.Module):
    def __init__(self, spread):
        super().__init__(name="dialect")
        self.layers = [LowRank("low", 4, 2, spread), LowRank("high", 4, 2, spread)]
        self.scale = tf.Variable(1.0, name="scale")

    def __call__(self, speech):
        for layer in self.layers:
            speech = tf.nn.tanh(layer(speech))
        return self.scale * speech


def adapt(spread, rounds=3):
    model, optimizer = Dialect(spread), tf.keras.optimizers.SGD(0.1)
    weights = [model.layers[1].down, model.layers[1].up, model.scale]
    for number in range(rounds):
        speech = tf.reshape(tf.cos(tf.range(20.0) * 0.4 + number), [5, 4])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(speech) - 0.2))
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return dict(zip(("high_down", "high_up", "scale"), grads))


def broken():
    return adapt(spread=0.0)


def fixed():
    return adapt(spread=0.3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
