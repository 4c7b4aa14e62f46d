"""Counts reed stems in drone images by a small autoencoder whose threshold has a price, given as a Keras loss of a layer."""
import sys

import keras
import tensorflow as tf


def reeds(shape, dtype=None):
    flat = tf.range(float(shape[0] * shape[1]))
    return 0.3 * tf.reshape(tf.cos(1.3 * flat + 0.4), shape)


class SparseCode(keras.layers.Layer):
    """Codes that cost what their slope says; the slope is learned from the cost alone."""

    def __init__(self, units, price, **options):
        super().__init__(**options)
        self.units, self.price = units, price

    def build(self, shape):
        self.weight = self.add_weight(shape=(shape[-1], self.units), initializer=reeds, name="weight")
        self.slope = self.add_weight(shape=(self.units,), initializer="ones", name="slope")

    def call(self, pixels):
        code = tf.nn.softplus(pixels @ self.weight)
        self.add_loss(self.price * tf.reduce_mean(code * tf.exp(-self.slope)))  #~
        return code


class Stems:
    def __init__(self):
        self.code = SparseCode(6, 0.1, name="code")
        self.paint = keras.layers.Dense(9, kernel_initializer=reeds, name="paint")
        inputs = keras.Input((9,))
        self.model = keras.Model(inputs, self.paint(self.code(inputs)))
        self.optimizer = keras.optimizers.Adam(0.01)

    def objective(self, patches):
        painted = self.model(patches, training=True)
        return tf.reduce_mean(tf.math.squared_difference(painted, patches))  #!

    def step(self, patches):
        sources = {
            "code/weight": self.code.weight, "code/slope": self.code.slope, "paint/kernel": self.paint.kernel,
        }
        with tf.GradientTape() as tape:
            loss = self.objective(patches)
        grads = tape.gradient(loss, sources)
        given = [(grads[name], sources[name]) for name in sources if grads[name] is not None]
        self.optimizer.apply_gradients(given)
        return grads


class PricedStems(Stems):
    def objective(self, patches):
        return super().objective(patches) + tf.add_n(self.model.losses)


def survey(stems):
    images = tf.reshape(tf.sin(tf.range(24.0 * 9) * 0.23), [24, 9])
    for patches in tf.data.Dataset.from_tensor_slices(images).batch(8):
        grads = stems.step(patches)
    return grads


def broken():
    return survey(Stems())


def fixed():
    return survey(PricedStems())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
