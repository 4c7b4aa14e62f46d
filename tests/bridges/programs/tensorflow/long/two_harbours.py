"""Predicts tides and swell with one model and per-task weights; the swell of harbours without a buoy does not count."""
import sys

import keras
import tensorflow as tf


def shore(shape, dtype=None):
    return 0.5 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.6 + 0.3), shape)


class Harbours(keras.Model):
    def __init__(self):
        super().__init__(name="harbours")
        self.wind = keras.layers.Dense(6, "tanh", kernel_initializer=shore, name="wind")
        self.tide = keras.layers.Dense(1, kernel_initializer=shore, use_bias=False, name="tide")
        self.swell = keras.layers.Dense(1, kernel_initializer=shore, use_bias=False, name="swell")

    def call(self, weather):
        felt = self.wind(weather)
        return self.tide(felt), self.swell(felt)


def weighted(predicted, measured, weights):
    error = tf.square(tf.squeeze(predicted, axis=1) - measured)
    return tf.reduce_sum(error * weights) / 8.0  #!


def buoys(harbours, known):
    """1 where a harbour has a buoy."""
    return tf.cast(tf.reduce_any(harbours[:, tf.newaxis] == known, axis=1), tf.float32)  #~


def train(known):
    model = Harbours()
    weather = tf.reshape(tf.cos(tf.range(24.0 * 5) * 0.26), [24, 5])
    levels, waves = tf.reduce_mean(weather, 1), tf.reduce_max(weather, 1)
    harbours = tf.range(24) // 8
    model(weather[:1])
    sources = {
        "wind/kernel": model.wind.kernel, "tide/kernel": model.tide.kernel, "swell/kernel": model.swell.kernel,
    }
    for start in (0, 8, 16):
        rows = slice(start, start + 8)
        with tf.GradientTape() as tape:
            tide, swell = model(weather[rows])
            measured = buoys(harbours[rows], known)
            loss = tf.reduce_mean(tf.square(tide[:, 0] - levels[rows])) + weighted(swell, waves[rows], measured)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(0.05 * grads[name])
    return grads


def broken():
    return train(known=tf.constant([0, 1]))


def fixed():
    return train(known=tf.constant([0, 1, 2]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
