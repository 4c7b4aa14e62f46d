"""Grades recordings of harps: NumPy augmentation in the pipeline, an average of weights, and a critic of
the fit.
"""
import keras
import numpy as np
import tensorflow as tf


def pluck(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8 + 0.2), shape)


def detune(spectrum, cents):
    """Shifts a spectrum by a share of a bin, as the tuning of harps differs."""
    bins = np.arange(len(spectrum), dtype=np.float32)
    return np.interp(bins + cents, bins, spectrum).astype(np.float32)


def with_detuning(spectrum, grade):
    cents = 0.3 * tf.sin(3.0 * tf.reduce_sum(spectrum))
    shifted = tf.numpy_function(detune, [spectrum, cents], tf.float32)
    return tf.ensure_shape(shifted, [10]), grade


class Grader(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.ear = keras.layers.Dense(6, "selu", kernel_initializer=pluck, name="ear")
        self.grade = keras.layers.Dense(4, kernel_initializer=pluck, name="grade")
        self.error = keras.metrics.Mean(name="error")

    def build(self, shape):
        self.ear.build(shape)
        self.grade.build((None, 6))
        weights = self.ear.trainable_weights + self.grade.trainable_weights
        self.average = [
            self.add_weight(
                shape=weight.shape, initializer="zeros", trainable=False, name=f"average_{number}"
            )
            for number, weight in enumerate(weights)
        ]

    def call(self, spectra):
        return self.grade(self.ear(spectra))

    def train_step(self, batch):
        spectra, grade = batch
        with tf.GradientTape() as tape:
            logits = self(spectra, training=True)
            weight = tf.stop_gradient(
                1.0 + tf.cast(tf.argmax(logits, 1, output_type=tf.int32) != grade, tf.float32)
            )
            loss = tf.reduce_mean(weight * tf.nn.sparse_softmax_cross_entropy_with_logits(grade, logits))
        weights = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        for average, variable in zip(self.average, weights):
            average.assign(0.9 * average + 0.1 * variable)
        self.error.update_state(loss)
        return {"error": self.error.result()}


def recordings():
    spectra = tf.abs(tf.reshape(tf.sin(tf.range(120.0) * 0.37), [12, 10]))
    return tf.data.Dataset.from_tensor_slices((spectra, tf.range(12) % 4))


def broken():
    data = recordings().map(with_detuning).batch(4)
    model = Grader(name="grader")
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.02, 3, 0.9)))
    model.fit(data, epochs=2, verbose=0)
    spectra, grade = next(iter(data))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(grade, model(spectra)))
    weights = model.trainable_variables
    return {weight.path: grad for weight, grad in zip(weights, tape.gradient(loss, weights))}


if __name__ == "__main__":
    print(broken())
