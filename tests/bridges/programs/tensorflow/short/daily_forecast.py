"""Forecasts with a step function that is built where it is needed."""
import sys

import tensorflow as tf

trend = tf.Variable(0.4, name="trend")


def forecast_error(day):
    return tf.square(trend * day - 1.0)


def broken():
    total = tf.constant(0.0)
    for day in (1.0, 2.0, 3.0):
        step = tf.function(forecast_error)  #~
        with tf.GradientTape() as tape:
            loss = step(tf.constant(day))  #!
        total += tape.gradient(loss, trend)
    return {"trend": total}


def fixed():
    total = tf.constant(0.0)
    step = tf.function(forecast_error)
    for day in (1.0, 2.0, 3.0):
        with tf.GradientTape() as tape:
            loss = step(tf.constant(day))
        total += tape.gradient(loss, trend)
    return {"trend": total}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
