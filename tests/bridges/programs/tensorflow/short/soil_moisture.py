"""Mean soil moisture with a percentile taken along the way."""
import sys

import numpy as np
import tensorflow as tf

rain = tf.cast(tf.constant([2, 7, 1, 4]), tf.float32)


def broken():
    uptake = tf.Variable(0.3, name="uptake")
    porosity = tf.Variable(0.45, name="porosity")
    with tf.GradientTape() as tape:
        moisture = rain * (1.0 - uptake)
        dry = tf.constant(np.sort(moisture.numpy())[:2])  #!
        loss = tf.reduce_mean(tf.square(dry - porosity))
    return dict(zip(["uptake", "porosity"], tape.gradient(loss, [uptake, porosity])))


def fixed():
    uptake = tf.Variable(0.3, name="uptake")
    porosity = tf.Variable(0.45, name="porosity")
    with tf.GradientTape() as tape:
        moisture = rain * (1.0 - uptake)
        dry = tf.sort(moisture)[:2]
        loss = tf.reduce_mean(tf.square(dry - porosity))
    return dict(zip(["uptake", "porosity"], tape.gradient(loss, [uptake, porosity])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
