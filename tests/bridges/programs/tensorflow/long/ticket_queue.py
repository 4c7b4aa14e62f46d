"""Sorts support tickets: masked text through an LSTM, a frozen embedding, class weights and early
stopping.
"""
import sys

import keras
import tensorflow as tf


def wave(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.3 * tf.cos(tf.range(count, dtype=tf.float32) * 0.7), shape)


class MeanOverTime(keras.layers.Layer):
    """Averages what the mask leaves."""

    def __init__(self, **options):
        super().__init__(**options)
        self.supports_masking = True

    def call(self, states, mask=None):
        if mask is None:
            return tf.reduce_mean(states, axis=1)
        weight = tf.cast(mask, states.dtype)[:, :, tf.newaxis]
        return tf.math.divide_no_nan(tf.reduce_sum(states * weight, 1), tf.reduce_sum(weight, 1))

    def compute_mask(self, inputs, mask=None):
        return None


def sorter():
    words = keras.Input((6,), dtype="int32", name="words")
    table = keras.layers.Embedding(
        20, 4, embeddings_initializer=wave, mask_zero=True, trainable=False, name="words_table"
    )
    x = keras.layers.LSTM(
        5, return_sequences=True, kernel_initializer=wave, recurrent_initializer=wave, name="read"
    )(table(words))
    x = MeanOverTime(name="pool")(x)
    x = keras.layers.Dropout(0.0)(x)
    x = keras.layers.Dense(3, kernel_initializer=wave, name="desk")(x)
    return keras.Model(words, x, name="sorter")


def tickets():
    numbers = tf.range(54) * 7 % 19 + 1
    words = tf.reshape(numbers, [9, 6])
    lengths = tf.constant([6, 4, 5, 2, 6, 3, 1, 6, 0])
    words *= tf.sequence_mask(lengths, 6, tf.int32)
    desk = tf.range(9) % 3
    return tf.data.Dataset.from_tensor_slices((words, desk)).batch(4)


def broken():
    keras.utils.set_random_seed(7)
    model = sorter()
    model.compile(
        keras.optimizers.Adam(0.01, clipnorm=1.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(tickets(), epochs=2, class_weight={0: 1.0, 1: 2.0, 2: 0.5}, verbose=0,
              callbacks=[keras.callbacks.EarlyStopping(monitor="loss", patience=2)])
    words, desk = next(iter(tickets()))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(
            keras.losses.sparse_categorical_crossentropy(desk, model(words), from_logits=True)
        )
    weights = model.trainable_weights
    return {
        weight.path: tf.convert_to_tensor(grad) for weight, grad in zip(weights, tape.gradient(loss, weights))
    }


if __name__ == "__main__":
    print(broken())
