"""Two altimeters share an offset that is to be calibrated by the height between them."""
import sys

import tensorflow as tf

sensors = {"offset": tf.Variable(0.5, name="offset"), "gain": tf.Variable(1.25, name="gain")}
upper = tf.constant([4.0, 8.0, 16.0])
lower = tf.constant([2.0, 4.0, 4.0])


def altitude(reading):
    return sensors["gain"] * reading + sensors["offset"]


def gradients(by_difference):
    with tf.GradientTape() as tape:
        if by_difference:
            height = altitude(upper) - altitude(lower)  #!
            loss = tf.reduce_sum(tf.square(height - tf.constant([2.0, 4.0, 8.0])))
        else:
            loss = tf.reduce_sum(tf.square(altitude(upper) - tf.constant([5.0, 9.0, 18.0])))
    return tape.gradient(loss, sensors)


def broken():
    return gradients(by_difference=True)


def fixed():
    return gradients(by_difference=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
