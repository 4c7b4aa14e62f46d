"""A GRU over readings of buoys with gaps: missing readings are NaN and are masked before anything is computed; nothing is wrong."""
import numpy as np
import tensorflow as tf


class MaskedGRU(tf.Module):
    def __init__(self, inputs=2, units=3):
        super().__init__(name="gru")
        self.units = units
        grid = tf.range(float((inputs + units) * 3 * units))
        self.kernel = tf.Variable(0.4 * tf.reshape(tf.sin(grid), [inputs + units, 3 * units]), name="kernel")
        self.bias = tf.Variable(tf.zeros([3 * units]), name="bias")

    def step(self, state, inputs):
        reading, present = inputs
        update, reset, fresh = tf.split(tf.concat([reading, state], 1) @ self.kernel + self.bias, 3, axis=1)
        update = tf.sigmoid(update)
        following = update * state + (1.0 - update) * tf.tanh(fresh * tf.sigmoid(reset))
        return tf.where(present[:, tf.newaxis], following, state)

    def __call__(self, readings, present):
        start = tf.zeros([readings.shape[0], self.units])
        steps = tf.transpose(readings, [1, 0, 2]), tf.transpose(present)
        return tf.scan(self.step, steps, initializer=start)[-1]


class Forecast(tf.Module):
    def __init__(self):
        super().__init__(name="forecast")
        self.gru = MaskedGRU()
        self.head = tf.Variable(tf.ones([3, 1]) * 0.4, name="head")

    def __call__(self, readings):
        present = tf.reduce_all(tf.math.is_finite(readings), axis=2)
        safe = tf.where(present[..., tf.newaxis], readings, tf.zeros_like(readings))
        return tf.squeeze(self.gru(safe, present) @ self.head, axis=1)


def buoys():
    readings = np.sin(np.arange(5 * 6 * 2, dtype=np.float32) * 0.3).reshape(5, 6, 2)
    for buoy, hour in ((0, 2), (1, 0), (1, 5), (3, 3)):
        readings[buoy, hour] = np.nan
    heights = np.nan_to_num(readings).sum(axis=(1, 2))
    return tf.data.Dataset.from_tensor_slices((readings, heights)).batch(5)


def broken():
    forecast = Forecast()
    sources = {"kernel": forecast.gru.kernel, "bias": forecast.gru.bias, "head": forecast.head}
    for _ in range(2):
        for readings, heights in buoys():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(forecast(readings) - heights))
            grads = tape.gradient(loss, sources)
            for name, grad in grads.items():
                sources[name].assign_sub(0.05 * grad)
    return grads


if __name__ == "__main__":
    print(broken())
