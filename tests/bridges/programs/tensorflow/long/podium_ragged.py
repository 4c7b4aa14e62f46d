"""Times of athletes with a different number of starts each: the mean of each, and how far a start is from it."""
import sys

import tensorflow as tf


def own_mean(times):
    return tf.reduce_sum(times, axis=1) / tf.cast(times.row_lengths(), tf.float32)  #!


def safe_mean(times):
    return tf.math.divide_no_nan(tf.reduce_sum(times, axis=1), tf.cast(times.row_lengths(), tf.float32))


class Form:
    def __init__(self, mean):
        self.mean = mean
        self.trend = tf.Variable(0.9, name="trend")
        self.wind = tf.Variable([0.1, 0.2], name="wind")

    def expected(self, times, gusts):
        return self.trend * self.mean(times) + tf.linalg.matvec(gusts, self.wind)


def meets():
    yield tf.ragged.constant([[10.1, 10.3], [9.9], [10.6, 10.2, 10.4]])
    yield tf.ragged.constant([[10.0], [], [10.5, 10.1]])


def season(mean):
    form = Form(mean)
    gusts = tf.reshape(tf.sin(tf.range(6.0)), [3, 2])
    for times in meets():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(form.expected(times, gusts) - 10.0))
        trend, wind = tape.gradient(loss, [form.trend, form.wind])
        form.trend.assign_sub(0.001 * trend)
        form.wind.assign_sub(0.001 * wind)
    return {"trend": trend, "wind": wind}


def broken():
    return season(own_mean)


def fixed():
    return season(safe_mean)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
