"""Flag signals are looked up by attention; raw sensor counts serve as queries."""
import sys

import tensorflow as tf


class SignalBook(tf.Module):
    def __init__(self, flags=6, width=4):
        super().__init__(name="book")
        self.ask = tf.Variable(tf.reshape(0.9 * tf.sin(1.0 + tf.range(12.0)), [3, width]), name="ask")
        self.keys = tf.Variable(tf.reshape(tf.cos(2.1 * tf.range(float(flags * width))), [flags, width]), name="keys")
        self.meaning = tf.Variable(tf.reshape(tf.sin(0.5 * tf.range(float(flags * 2))), [flags, 2]), name="meaning")

    def attention(self, counts):
        scores = tf.matmul(counts @ self.ask, self.keys, transpose_b=True)
        return tf.nn.softmax(scores)  #!

    def __call__(self, counts):
        return self.attention(counts) @ self.meaning


class Sensor:
    scale = 1.0

    def read(self, watch):
        step = tf.range(8.0)[:, tf.newaxis] + 3.0 * watch
        counts = tf.concat([4000.0 + 900.0 * tf.sin(step), 2500.0 + 600.0 * tf.cos(2.0 * step), 200.0 * step], axis=1)
        return counts / self.scale


class ScaledSensor(Sensor):
    scale = 4000.0


def cruise(sensor, watches=4):
    book = SignalBook()
    parts = [book.ask, book.keys, book.meaning]
    course = tf.constant([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 1.0]] * 2)
    for watch in range(watches):
        counts = sensor.read(float(watch))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(book(counts) - course))
        slopes = tape.gradient(loss, parts)
        for part, slope in zip(parts, slopes):
            part.assign_sub(0.1 * slope)
    return dict(zip(["ask", "keys", "meaning"], slopes))


def broken():
    return cruise(Sensor())


def fixed():
    return cruise(ScaledSensor())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
