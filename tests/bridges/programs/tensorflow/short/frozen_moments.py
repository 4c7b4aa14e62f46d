"""A classifier of knots is adapted to a new camera: only the statistics of its normalisation move."""
import sys

import keras
import tensorflow as tf


def model():
    return keras.Sequential([  #~
        keras.Input((3,)),
        keras.layers.Dense(4, kernel_initializer=keras.initializers.Orthogonal(seed=3), name="rope"),
        keras.layers.BatchNormalization(moving_variance_initializer=keras.initializers.Constant(0.5), name="settle"),  #~
        keras.layers.Dense(3, kernel_initializer=keras.initializers.Orthogonal(seed=5), name="knot"),
    ], name="knots")


def adapted(watch):
    knots = model()  #~
    settle = knots.get_layer("settle")
    moments = [settle.moving_mean, settle.moving_variance]
    pictures = tf.reshape(tf.sin(tf.range(15.0)), [5, 3])
    with tf.GradientTape() as tape:
        if watch:
            tape.watch([moment.value for moment in moments])
        shares = tf.nn.softmax(knots(pictures, training=False))  #!
        unsure = -tf.reduce_mean(tf.reduce_sum(shares * tf.math.log(shares), axis=1))
    return dict(zip([moment.path for moment in moments], tape.gradient(unsure, moments)))


def broken():
    return adapted(watch=False)


def fixed():
    return adapted(watch=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
