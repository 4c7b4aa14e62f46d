"""A locksmith learns which of four prices to quote; regret is measured against the price that the scores put first."""
import sys

import tensorflow as tf

PRICES = tf.constant([40.0, 55.0, 70.0, 95.0])
STEP = 18.0


class Quoting(tf.Module):
    def __init__(self):
        super().__init__(name="quoting")
        self.taste = tf.Variable(tf.reshape(0.4 * tf.sin(tf.range(12.0)), [3, 4]), name="taste")
        self.lean = tf.Variable([0.1, 0.0, -0.1, 0.2], name="lean")
        self.level = tf.Variable(60.0, name="level")

    def scores(self, calls):
        return calls @ self.taste + self.lean

    def chosen(self, scores):
        place = tf.argmax(scores, axis=1)  #!
        return 40.0 + STEP * tf.cast(place, tf.float32)  #~

    def __call__(self, calls):
        return self.chosen(self.scores(calls))


class SoftQuoting(Quoting):
    def chosen(self, scores):
        return tf.linalg.matvec(tf.nn.softmax(4.0 * scores), PRICES)


class Journal:
    """Keeps a running baseline, which is no part of what is learned."""

    def __init__(self):
        self.baseline = tf.zeros([])

    def centred(self, regret):
        self.baseline = tf.stop_gradient(0.9 * self.baseline + 0.1 * tf.reduce_mean(regret))
        return regret - self.baseline


def calls_of(day):
    return tf.reshape(tf.cos(0.8 * tf.range(18.0) + day), [6, 3])


def willing(calls):
    return 60.0 + 12.0 * tf.reduce_sum(calls, axis=1)


def learn(model, days=5):
    journal = Journal()
    sources = [model.taste, model.lean, model.level]
    for day in range(days):
        calls = calls_of(day)
        with tf.GradientTape() as tape:
            quoted = model(calls)
            regret = tf.square((quoted - willing(calls)) / 20.0) + tf.square((quoted - model.level) / 50.0)
            loss = tf.reduce_mean(journal.centred(regret))
        slopes = tape.gradient(loss, sources)
        for source, slope in zip(sources, slopes):
            if slope is not None:
                source.assign_sub(0.05 * slope)
    return dict(zip(["taste", "lean", "level"], slopes))


def broken():
    return learn(Quoting())


def fixed():
    return learn(SoftQuoting())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
