"""Blends teas: shares are kept positive by going through logarithms, layer after layer."""
import sys

import tensorflow as tf


class Blend(tf.Module):
    def __init__(self, number, teas):
        super().__init__(name=f"blend_{number}")
        wave = tf.sin(tf.range(float(teas * teas)) * 0.5 + number)
        self.mix = tf.Variable(tf.reshape(wave, [teas, teas]), name=f"mix_{number}")

    def __call__(self, shares):
        return shares @ tf.nn.softmax(self.mix)


class TeaModel(tf.Module):
    """Blends on blends; between them shares pass as logarithms."""

    def __init__(self, teas=5, depth=3):
        super().__init__(name="tea")
        self.blends = [Blend(number, teas) for number in range(depth)]
        self.taste = tf.Variable(tf.cos(tf.range(float(teas)))[:, tf.newaxis], name="taste")

    def hand_over(self, shares):
        logarithms = tf.math.log(shares)  #~
        return tf.exp(logarithms)  #!

    def __call__(self, shares):
        for blend in self.blends:
            shares = self.hand_over(blend(shares))
        return tf.squeeze(shares @ self.taste, axis=1)


class DirectTeaModel(TeaModel):
    def hand_over(self, shares):
        return shares


class Tasting:
    def __init__(self, model, rate=0.2):
        self.model, self.rate = model, rate
        self.sources = {
            f"mix_{k}": blend.mix for k, blend in enumerate(model.blends)
        } | {"taste": model.taste}

    def step(self, shares, liked):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(shares) - liked))
        grads = tape.gradient(loss, self.sources)
        for name, source in self.sources.items():
            source.assign_sub(self.rate * grads[name])
        return grads


def house(model, days=3):
    tasting = Tasting(model)
    for day in range(days):
        shares = tf.nn.softmax(tf.reshape(tf.sin(tf.range(40.0) * 0.8 + day), [8, 5]))
        grads = tasting.step(shares, tf.linspace(0.0, 1.0, 8))
    return grads


def broken():
    return house(TeaModel())


def fixed():
    return house(DirectTeaModel())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
