"""Predicts the output of wind turbines with a Keras model; temperatures come in kelvin from the weather
service.
"""
import sys

import keras
import tensorflow as tf


def spread(shape, dtype=None):
    grid = tf.range(shape[0] * shape[1], dtype=tf.float32)
    return 0.1 + 0.05 * tf.reshape(tf.sin(grid), shape)


class TurbineModel(keras.Model):
    def __init__(self, offset, **options):
        super().__init__(**options)
        self.offset = offset
        self.weather = keras.layers.Dense(8, "relu", kernel_initializer=spread, name="weather")
        self.blade = keras.layers.Dense(4, "tanh", kernel_initializer=spread, name="blade")
        self.power = keras.layers.Dense(1, kernel_initializer=spread, name="power")

    def prepare(self, readings):
        """Wind speed, temperature and pressure around their usual values."""
        return readings - tf.constant(self.offset)

    def call(self, readings):
        x = self.weather(self.prepare(readings))  #!
        return self.power(self.blade(x))


def park():
    hour = tf.range(12.0)
    wind = 6.0 + 3.0 * tf.sin(hour)
    kelvin = 285.0 + 5.0 * tf.cos(hour * 0.5)
    pressure = 1.0 + 0.02 * tf.sin(hour * 0.2)
    power = 0.1 * wind ** 2
    readings = tf.stack([wind, kelvin, pressure], axis=1)
    return tf.data.Dataset.from_tensor_slices((readings, power[:, tf.newaxis])).batch(4)


def gradients(model, data):
    readings, power = next(iter(data))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(readings) - power))
    weights = model.trainable_weights
    return {weight.path: grad for weight, grad in zip(weights, tape.gradient(loss, weights))}


def season(offset):
    model = TurbineModel(offset, name="turbine")
    model.compile(keras.optimizers.SGD(1e-3), loss="mse")
    data = park()
    model.fit(data, epochs=2, verbose=0)
    found = gradients(model, data)
    return {
        name: found[name] for name in ("turbine/weather/kernel", "turbine/weather/bias", "turbine/power/bias")
    }


def broken():
    return season([6.0, 1013.0, 1.0])


def fixed():
    return season([6.0, 285.0, 1.0])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
