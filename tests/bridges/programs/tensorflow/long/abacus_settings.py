"""A regression of prices, its settings in a named tuple that goes along with every call."""
import collections
import sys

import tensorflow as tf

Settings = collections.namedtuple("Settings", "rate decay clip")


class Regression(tf.Module):
    def __init__(self, width=3):
        super().__init__("regression")
        self.slope = tf.Variable(tf.zeros([width, 1]), name="slope")

    @tf.function
    def fit(self, batch, paid, settings):
        with tf.GradientTape() as tape:
            error = tf.reduce_mean(tf.square(batch @ self.slope - paid))
            loss = error + settings.decay * tf.reduce_sum(tf.square(self.slope))
        grad = tf.clip_by_norm(tape.gradient(loss, self.slope), settings.clip)
        self.slope.assign_sub(settings.rate * grad)
        return grad


def inverse_time(start, epoch):
    return start / (1.0 + epoch)


def train(settings_of, epochs=4):
    index = tf.reshape(tf.range(15.0), [5, 3])
    batch, paid = tf.sin(index), tf.reduce_sum(tf.cos(index), axis=1, keepdims=True)
    regression = Regression()
    for epoch in range(epochs):
        settings = settings_of(inverse_time(0.1, epoch))
        grad = regression.fit(batch, paid, settings)  #!
    return {"slope": grad}


def broken():
    return train(lambda rate: Settings(rate=rate, decay=0.01, clip=1.0))


def fixed():
    return train(lambda rate: Settings(rate=tf.constant(rate), decay=0.01, clip=1.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
