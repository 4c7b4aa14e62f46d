"""Counts otters on river photographs; a layer adds its own loss that keeps the calibration near one."""
import sys

import keras
import tensorflow as tf


def wave(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return 0.3 * tf.reshape(tf.sin(tf.range(float(count)) + 0.5), shape)


class Calibrated(keras.layers.Layer):
    """Passes its input on; penalizes a calibration that strays from one."""

    def build(self, shape):
        self.camera = self.add_weight(shape=(shape[-1],), initializer=wave, name="camera")

    def call(self, inputs):
        camera = tf.convert_to_tensor(self.camera)
        self.add_loss(0.01 * tf.reduce_sum(tf.square(camera - 1.0)))
        return inputs


def build():
    inputs = keras.Input((6,))
    seen = keras.layers.Dense(5, "elu", kernel_initializer=wave, name="river")(inputs)
    seen = Calibrated(name="calibrated")(seen)
    count = keras.layers.Dense(1, "softplus", kernel_initializer=wave, name="otters")(seen)
    return keras.Model(inputs, count, name="count")


def total(model, photos, counts, regularize):
    predicted = model(photos, training=True)
    poisson = tf.reduce_mean(predicted - counts * tf.math.log(predicted + 1e-6))  #!
    return poisson + tf.add_n(model.losses) if regularize else poisson  #~


def train(regularize, days=3):
    model, optimizer = build(), keras.optimizers.Adam(1e-2)
    for day in range(days):
        photos = tf.reshape(tf.cos(tf.range(24.0) * 0.3 + day), [4, 6])
        counts = tf.constant([[1.0], [0.0], [3.0], [2.0]])
        with tf.GradientTape() as tape:
            loss = total(model, photos, counts, regularize)
        grads = tape.gradient(loss, model.trainable_variables)
        pairs = zip(grads, model.trainable_variables)
        optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
    return {v.path: g for v, g in zip(model.trainable_variables, grads) if "bias" not in v.path}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
