"""A power law for the number of friends: its tail, a ratio of Hurwitz zeta functions, is fitted to a survey."""
import sys

import tensorflow as tf


class PowerLaw:
    def __init__(self, exponent=2.5, shift=0.2):
        self.exponent = tf.Variable(exponent, name="exponent")
        self.shift = tf.Variable(shift, name="shift")

    def series(self, first):
        return tf.math.zeta(self.exponent, first + self.shift)  #!

    def tail(self, friends):
        """Probability of that many friends or more."""
        return self.series(friends) / self.series(tf.constant(1.0))


class SummedPowerLaw(PowerLaw):
    """Sums the series itself, which differentiates by the exponent too."""

    def series(self, first):
        terms = tf.expand_dims(first + self.shift, -1) + tf.range(2000.0)
        return tf.reduce_sum(tf.pow(terms, -self.exponent), axis=-1)


def miss(law, friends, observed):
    return tf.reduce_mean(tf.square(tf.math.log(law.tail(friends)) - tf.math.log(observed)))


def fit(law, epochs=3):
    friends = tf.constant([1.0, 2.0, 4.0, 8.0, 16.0])
    observed = tf.constant([1.0, 0.41, 0.16, 0.06, 0.02])
    optimizer = tf.keras.optimizers.SGD(0.02)
    sources = {"exponent": law.exponent, "shift": law.shift}
    for epoch in range(epochs):
        with tf.GradientTape() as tape:
            loss = miss(law, friends, observed)
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients([(g, sources[name]) for name, g in grads.items() if g is not None])
        print(f"{epoch}: {float(loss):.4f}")
    return grads


def broken():
    return fit(PowerLaw())


def fixed():
    return fit(SummedPowerLaw())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
