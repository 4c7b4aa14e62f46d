"""How the focal length of a thick lens changes with its curvature."""
import sys

import tensorflow as tf

INDEX = 1.52


def broken():
    curvature = tf.constant([0.02, 0.025, 0.03])
    thickness = tf.stop_gradient(tf.constant(4.0))
    with tf.GradientTape() as tape:
        power = (INDEX - 1.0) * curvature  #!
        tape.watch(curvature)  #~
        focal = 1.0 / (power - 0.001 * thickness * power ** 2)
    return {"curvature": tape.gradient(focal, curvature)}


def fixed():
    curvature = tf.constant([0.02, 0.025, 0.03])
    thickness = tf.stop_gradient(tf.constant(4.0))
    with tf.GradientTape() as tape:
        tape.watch(curvature)
        power = (INDEX - 1.0) * curvature
        focal = 1.0 / (power - 0.001 * thickness * power ** 2)
    return {"curvature": tape.gradient(focal, curvature)}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
