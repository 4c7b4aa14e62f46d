"""Fits how loud a harbour is, and how much it varies, to recordings; both parameters are plain variables."""
import sys

import keras
import tensorflow as tf


class Loudness(tf.Module):
    def __init__(self, hours=4):
        super().__init__(name="loudness")
        self.level = tf.Variable(0.2 * tf.sin(tf.range(float(hours))), name="level")
        self.ships = tf.Variable(0.3, name="ships")
        self.spread = tf.Variable(0.9, name="spread")

    def mean(self, hour, ships):
        return tf.gather(self.level, hour) + self.ships * ships


class NormalLikelihood:
    def __init__(self, positive):
        self.positive = positive

    def spread(self, model):
        return tf.nn.softplus(model.spread) + 1e-3 if self.positive else model.spread

    def surprise(self, model, hour, ships, heard):
        spread = self.spread(model)
        error = (heard - model.mean(hour, ships)) / spread
        return 0.5 * tf.square(error) + tf.math.log(spread)  #!

    def __call__(self, model, *record):
        return tf.reduce_mean(self.surprise(model, *record))


def recordings(samples=24):
    index = tf.range(samples)
    ships = tf.cast(index % 5, tf.float32) * 0.2
    heard = 0.1 * tf.sin(tf.cast(index, tf.float32)) + 0.4 * ships
    return tf.data.Dataset.from_tensor_slices((index % 4, ships, heard)).batch(8).repeat(8)


def fit(positive):
    model, criterion = Loudness(), NormalLikelihood(positive)
    sources = {"level": model.level, "ships": model.ships, "spread": model.spread}
    optimizer = keras.optimizers.SGD(0.3, momentum=0.5)
    for record in recordings():
        with tf.GradientTape() as tape:
            loss = criterion(model, *record)
        grads = {name: tf.convert_to_tensor(grad) for name, grad in tape.gradient(loss, sources).items()}
        optimizer.apply_gradients([(grads[name], source) for name, source in sources.items()])
        if not bool(tf.math.is_finite(loss)):
            break
    return grads


def broken():
    return fit(positive=False)


def fixed():
    return fit(positive=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
