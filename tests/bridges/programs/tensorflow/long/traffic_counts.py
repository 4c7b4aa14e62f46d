"""Models how many cars pass a detector: a Poisson regression on features of a GRU, fed by a data pipeline."""
import sys

import keras
import tensorflow as tf


def lanes(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 1.2 + 0.4), shape)


class Detector:
    """Counts and speeds of past minutes; one detector counts in cars per day by mistake."""

    def __init__(self, minutes=4, samples=9):
        grid = tf.range(float(samples * minutes))
        past = tf.stack([3.0 + tf.sin(grid), 1.0 + 0.2 * tf.cos(grid)], axis=1)
        past = tf.reshape(past, [samples, minutes, 2])
        unit = tf.where(tf.range(samples) == 7, 1440.0, 1.0)
        self.past = past * unit[:, tf.newaxis, tf.newaxis]
        self.next = tf.round(tf.reduce_mean(past[:, :, 0], axis=1))

    def data(self):
        return tf.data.Dataset.from_tensor_slices((self.past, self.next)).batch(3)


class RateModel(tf.Module):
    def __init__(self, bounded):
        super().__init__(name="rates")
        self.memory = keras.layers.GRU(
            4, kernel_initializer=lanes, recurrent_initializer=lanes, name="memory"
        )
        self.slope = tf.Variable([0.05, 0.02], name="slope")
        self.level = tf.Variable(0.3, name="level")
        self.weight = tf.Variable(0.1 * tf.ones([4]), name="weight")
        self.bounded = bounded

    def log_rate(self, past):
        context = tf.linalg.matvec(self.memory(past), self.weight)
        score = context + tf.linalg.matvec(past[:, -1], self.slope) + self.level
        return 20.0 * tf.tanh(score / 20.0) if self.bounded else score

    def rate(self, past):
        log_rate = self.log_rate(past)
        return tf.exp(log_rate), log_rate  #!


def poisson_loss(model, past, cars):
    rate, log_rate = model.rate(past)
    return tf.reduce_mean(rate - cars * log_rate)


def train(bounded, learning_rate=0.01):
    model = RateModel(bounded)
    sources = {"slope": model.slope, "level": model.level, "weight": model.weight}
    best = tf.constant(1e9)
    for past, cars in Detector().data():
        with tf.GradientTape() as tape:
            loss = poisson_loss(model, past, cars)
        grads = tape.gradient(loss, sources)
        clipped, norm = tf.clip_by_global_norm(list(grads.values()), 1.0)
        grads = dict(zip(grads, clipped))
        best = tf.minimum(best, loss)
        for name, source in sources.items():
            source.assign_sub(learning_rate * grads[name])
    return grads


def broken():
    return train(bounded=False)


def fixed():
    return train(bounded=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
