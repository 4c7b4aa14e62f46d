"""Patterns of woven cloth: every sample of a batch is scored against a learned thread, then the scores are averaged."""
import sys

import tensorflow as tf


class Thread:
    def __init__(self, size=12):
        self.colour = tf.Variable(0.5 * tf.sin(tf.range(float(size))), name="colour")
        self.twist = tf.Variable(0.8, name="twist")

    def score(self, sample):
        return tf.reduce_sum(tf.tanh(self.twist * sample) * self.colour)

    def scores(self, batch):
        return [self.score(sample) for sample in tf.unstack(batch)]  #!


class BatchThread(Thread):
    def scores(self, batch):
        return tf.reduce_sum(tf.tanh(self.twist * batch) * self.colour, axis=1)


def loss_of(thread, batch, wanted):
    return tf.reduce_mean(tf.square(tf.stack(thread.scores(batch)) - wanted))


def weave(thread, days=3):
    optimizer = tf.keras.optimizers.Adam(0.01)
    sources = [thread.colour, thread.twist]
    for day in range(days):
        batch = tf.cos(tf.reshape(tf.range(20 * 12.0), [20, 12]) * 0.11 + day)
        with tf.GradientTape() as tape:
            loss = loss_of(thread, batch, tf.linspace(-1.0, 1.0, 20))
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients(zip(grads, sources))
    return {"colour": grads[0], "twist": grads[1]}


def broken():
    return weave(Thread())


def fixed():
    return weave(BatchThread())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
