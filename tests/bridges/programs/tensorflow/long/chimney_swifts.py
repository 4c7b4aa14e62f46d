"""Counts of swifts at chimneys: the trainer's metrics are computed where the loss is, for a board on the wall."""
import collections
import contextlib
import sys

import tensorflow as tf

BOARD = collections.deque(maxlen=50)


@contextlib.contextmanager
def session(label):
    BOARD.append((label, "begin"))
    yield
    BOARD.append((label, "end"))


class Counter(tf.keras.Model):
    def __init__(self):
        super().__init__(name="counter")
        self.dusk = tf.keras.layers.Dense(10, activation="softplus", kernel_initializer="ones", name="dusk")
        self.birds = tf.keras.layers.Dense(1, kernel_initializer="ones", name="birds")

    def call(self, weather):
        return self.birds(self.dusk(weather))


def describe(counter, weather, birds):
    guesses = counter(weather)
    errors = tf.abs(guesses - birds)  #~
    return {"worst": tf.reduce_max(errors), "mean": tf.reduce_mean(errors), "spread": tf.math.reduce_std(guesses)}


def loss_of(counter, weather, birds):
    return tf.reduce_mean(tf.square(counter(weather) - birds))


def step(counter, weather, birds, inside):
    with session("step"), tf.GradientTape() as tape:
        loss = loss_of(counter, weather, birds)
        if inside:
            BOARD.append(describe(counter, weather, birds))  #!
    if not inside:
        BOARD.append({"mean": loss})
    return tape.gradient(loss, counter.trainable_variables)


def evenings(count=4):
    for evening in range(count):
        weather = tf.reshape(tf.sin(tf.range(96.0) + evening), [32, 3])
        yield weather, tf.reduce_sum(weather, axis=1, keepdims=True)


def train(inside):
    counter = Counter()
    counter.build([None, 3])
    optimizer = tf.keras.optimizers.SGD(0.001)
    for weather, birds in evenings():
        grads = step(counter, weather, birds, inside)
        optimizer.apply_gradients(zip(grads, counter.trainable_variables))
    return {"counter/dusk/kernel": grads[0], "counter/birds/kernel": grads[2]}


def broken():
    return train(inside=True)


def fixed():
    return train(inside=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
