"""A hidden Markov model of old weather diaries: the likelihood of a year by the forward algorithm."""
import sys

import tensorflow as tf


class Weather(tf.Module):
    def __init__(self, states=3, signs=5):
        super().__init__(name="weather")
        self.change = tf.Variable(
            tf.reshape(tf.sin(tf.range(float(states * states))), [states, states]), name="change"
        )
        self.sign = tf.Variable(
            tf.reshape(tf.cos(tf.range(float(states * signs))), [states, signs]), name="sign"
        )
        self.states = states

    def start(self):
        return tf.fill([1, self.states], 1.0 / self.states)


class ForwardAlgorithm:
    def __init__(self, model):
        self.model = model

    def likelihood(self, diary):
        change, sign = tf.nn.softmax(self.model.change), tf.nn.softmax(self.model.sign)
        share = self.model.start()
        for seen in tf.unstack(diary):
            share = (share @ change) * tf.gather(sign, seen, axis=1)  #!
        return tf.reduce_sum(share)

    def loss(self, diary):
        return -tf.math.log(self.likelihood(diary) + 1e-12)


class ScaledForwardAlgorithm(ForwardAlgorithm):
    """Divides by the sum in every step and adds the logarithms up."""

    def loss(self, diary):
        change, sign = tf.nn.softmax(self.model.change), tf.nn.softmax(self.model.sign)
        share, total = self.model.start(), 0.0
        for seen in tf.unstack(diary):
            share = (share @ change) * tf.gather(sign, seen, axis=1)
            size = tf.reduce_sum(share)
            share, total = share / size, total - tf.math.log(size)
        return total


def diary(days=90):
    return (tf.range(days) * 7 + tf.range(days) // 5) % 5


def fit(algorithm, steps=2, rate=0.01):
    model = Weather()
    forward = algorithm(model)
    sources = {"change": model.change, "sign": model.sign}
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = forward.loss(diary())
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return fit(ForwardAlgorithm)


def fixed():
    return fit(ScaledForwardAlgorithm)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
