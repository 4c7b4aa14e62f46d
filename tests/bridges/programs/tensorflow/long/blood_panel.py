"""Scores the risk in a blood panel: a functional Keras model whose first layer rounds values to the
analyser's steps.
"""
import sys

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable("panel")
class AnalyserSteps(keras.layers.Layer):
    """Values as a multiple of the analyser's resolution, which is learned per analyte."""

    def __init__(self, exact=False, **options):
        super().__init__(**options)
        self.exact = exact

    def build(self, shape):
        self.resolution = self.add_weight(shape=(shape[-1],), initializer="ones", name="resolution")

    def call(self, values):
        steps = values * (4.0 * self.resolution)
        if not self.exact:
            steps = tf.cast(tf.cast(steps, tf.int32), tf.float32)  #!
        return 0.25 * steps


class MissingValues(keras.layers.Layer):
    """Replaces what the laboratory left out by 0, and appends which values were there."""

    def call(self, values):
        known = tf.cast(tf.math.is_finite(values), tf.float32)
        return tf.concat([tf.where(known > 0.0, values, tf.zeros_like(values)), known], axis=1)


def wave(shape, dtype=None):
    return 0.5 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.3), shape)


def panel_model(exact):
    values = keras.Input((4,), name="values")
    x = MissingValues(name="missing")(values)
    x = AnalyserSteps(exact, name="steps")(x)
    x = keras.layers.Dense(6, activation="gelu", kernel_initializer=wave, name="hidden")(x)
    x = keras.layers.LayerNormalization(name="norm")(x)
    return keras.Model(values, keras.layers.Dense(1, kernel_initializer=wave, name="risk")(x), name="panel")


def patients():
    values = 2.0 + 1.5 * tf.reshape(tf.sin(tf.range(32.0) * 0.9), [8, 4])
    hidden = tf.reshape(tf.range(32) % 11 == 3, [8, 4])
    values = tf.where(hidden, tf.fill([8, 4], float("nan")), values)
    outcome = tf.cast(tf.range(8) % 3 == 0, tf.float32)[:, tf.newaxis]
    return tf.data.Dataset.from_tensor_slices((values, outcome)).batch(4)


def train(model, epochs=2):
    optimizer = keras.optimizers.Adam(0.01)
    loss_of = keras.losses.BinaryCrossentropy(from_logits=True)
    for _ in range(epochs):
        for values, outcome in patients():
            with tf.GradientTape() as tape:
                loss = loss_of(outcome, model(values, training=True))
            weights = model.trainable_weights
            grads = tape.gradient(loss, weights)
            optimizer.apply_gradients((g, w) for g, w in zip(grads, weights) if g is not None)
    return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return train(panel_model(exact=False))


def fixed():
    return train(panel_model(exact=True))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
