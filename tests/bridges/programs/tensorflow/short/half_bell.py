"""The loudness of bells is learned in half precision, which the small computer of the tower is fast at."""
import sys

import tensorflow as tf

strike = tf.Variable([0.8, 1.1, 0.9], name="strike")


def ring(weights, strokes):
    return tf.cast(strokes, tf.float16) * tf.cast(weights, tf.float16)


def energy(sound):
    return tf.reduce_mean(tf.square(sound))  #!


def energy_in_single(sound):
    return tf.reduce_mean(tf.square(tf.cast(sound, tf.float32)))


def tune(measure):
    slope = None
    for hour in range(1, 6):
        strokes = 140.0 * float(hour) * tf.constant([0.7, 1.0, 0.9])
        with tf.GradientTape() as tape:
            loud = tf.cast(measure(ring(strike, strokes)), tf.float32)
            loss = tf.square(loud / 5000.0 - 1.0)
        slope = tape.gradient(loss, strike)
        strike.assign_sub(0.00001 * slope)
    return {"strike": slope}


def broken():
    return tune(energy)


def fixed():
    return tune(energy_in_single)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
