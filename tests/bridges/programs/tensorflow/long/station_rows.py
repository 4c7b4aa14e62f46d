"""Delays by station: a Keras layer looks stations up by one-hot rows and a product."""
import sys

import keras
import tensorflow as tf

STATIONS = 4000


def track(shape, dtype=None):
    return 0.1 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.01), shape)


class StationRows(keras.layers.Layer):
    def build(self, shape):
        self.table = self.add_weight(shape=(STATIONS, 8), initializer=track, name="table")

    def call(self, stations):
        return tf.one_hot(stations, STATIONS) @ self.table  #!


class LookedUpRows(StationRows):
    def call(self, stations):
        return tf.gather(self.table, stations)


class Delays(keras.Model):
    def __init__(self, rows):
        super().__init__(name="delays")
        self.rows = rows
        self.hours = keras.layers.Dense(1, kernel_initializer="ones", name="hours")

    def call(self, stations):
        return self.hours(tf.nn.relu(self.rows(stations) + 0.1))


class Timetable:
    def __init__(self, rows):
        self.model, self.optimizer = Delays(rows), keras.optimizers.SGD(0.1)

    def day(self, stations, late):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(stations) - late))
        weights = self.model.trainable_variables
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients(zip(grads, weights))
        return {"delays/hours/kernel": grads[1]}


def week(rows):
    timetable = Timetable(rows)
    for day in range(4):
        stations = (tf.range(16) * 211 + 17 * day) % STATIONS
        late = tf.cast(stations % 5, tf.float32)[:, tf.newaxis]
        grads = timetable.day(stations, late)
    return grads


def broken():
    return week(StationRows(name="rows"))


def fixed():
    return week(LookedUpRows(name="rows"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
