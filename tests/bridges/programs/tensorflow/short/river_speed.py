"""Speed of a river from the fall of its bed; one stretch is level."""
import sys

import tensorflow as tf

fall = tf.constant([0.5, 0.0, 1.2])


def gradients(floor):
    roughness = tf.Variable(1.0, name="roughness")
    with tf.GradientTape() as tape:
        speed = tf.sqrt(roughness * fall + floor)  #!
        loss = tf.reduce_sum(tf.square(speed - 0.7))
    return {"roughness": tape.gradient(loss, roughness)}


def broken():
    return gradients(0.0)


def fixed():
    return gradients(1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
