"""Weighs errors for common and for rare orchids alike."""
import sys

import tensorflow as tf

slope = tf.Variable([0.4, -0.3], name="slope")
light = tf.reshape(tf.sin(tf.range(16.0)), [8, 2])
blooms = tf.cos(tf.range(8.0))


def mean_error(errors, rows):
    return tf.reduce_mean(tf.boolean_mask(errors, rows))  #!


def mean_error_or_zero(errors, rows):
    kept = tf.boolean_mask(errors, rows)
    return tf.math.divide_no_nan(tf.reduce_sum(kept), tf.cast(tf.size(kept), tf.float32))


def gradient(part, kinds):
    with tf.GradientTape() as tape:
        errors = tf.square(tf.linalg.matvec(light, slope) - blooms)
        loss = tf.add_n([part(errors, kinds == kind) for kind in range(3)])
    return {"slope": tape.gradient(loss, slope)}


def season(part):
    for share in (2, 3, 4):
        grads = gradient(part, tf.range(8) // share)
        slope.assign_sub(0.01 * grads["slope"])
    return grads


def broken():
    return season(mean_error)


def fixed():
    return season(mean_error_or_zero)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
