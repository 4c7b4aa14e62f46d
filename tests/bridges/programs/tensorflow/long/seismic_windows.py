"""Picks the arrival of waves in seismograms: a bidirectional LSTM and a compiled step over windows of the
stream.
"""
import sys

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable("seismic")
def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.1), shape)


def picker(width=5):
    trace = keras.Input((None, 3), name="trace")
    cell = keras.layers.LSTM(
        width, return_sequences=True, kernel_initializer=wave, recurrent_initializer=wave
    )
    x = keras.layers.Bidirectional(cell, name="context")(trace)
    return keras.Model(
        trace, keras.layers.Dense(1, kernel_initializer=wave, name="arrival")(x), name="picker"
    )


class Stream:
    """A stream cut into windows, which are batched."""

    def __init__(self, samples=22, window=8, keep_rest=True):
        time = tf.range(float(samples * window))
        self.traces = tf.reshape(
            tf.stack([tf.sin(time), tf.cos(0.3 * time), tf.sin(0.1 * time)], 1), [-1, window, 3]
        )
        self.keep_rest = keep_rest

    def __iter__(self):
        arrivals = tf.cast(self.traces[:, :, :1] > 0.9, tf.float32)
        data = tf.data.Dataset.from_tensor_slices((self.traces, arrivals))
        return iter(data.batch(6, drop_remainder=not self.keep_rest))


class Training:
    def __init__(self, model):
        self.model = model
        self.optimizer = keras.optimizers.RMSprop(0.01)
        self.optimizer.build(model.trainable_variables)
        self.seen = keras.metrics.Mean(name="seen")

    @tf.function
    def update(self, windows, arrivals):
        with tf.GradientTape() as tape:
            logits = self.model(windows, training=True)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(arrivals, logits))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply(grads, self.model.trainable_variables)
        self.seen.update_state(loss)
        return grads[-1]

    def run(self, stream, epochs=2):
        for _ in range(epochs):
            for windows, arrivals in stream:
                bias = self.update(windows, arrivals)  #!
            self.seen.reset_state()
        return {"arrival/bias": bias}


def broken():
    return Training(picker()).run(Stream())


def fixed():
    return Training(picker()).run(Stream(keep_rest=False))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
