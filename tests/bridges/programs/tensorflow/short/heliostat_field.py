"""Aims the mirrors of a heliostat field; the spill beyond the receiver is kept small."""
import sys

import tensorflow as tf

sun = tf.sin(tf.range(30.0) * 0.2) + 1.5
mirrors = tf.reshape(tf.cos(tf.range(90.0) * 0.4), [30, 3])
tilt = tf.Variable([0.1, -0.2, 0.3], name="tilt")
reach = tf.Variable(0.8, name="reach")


def spill(rows):
    aim = tf.tanh(tf.linalg.matvec(rows, tilt)) * reach
    return tf.reduce_mean(tf.square(aim - tf.reduce_mean(rows, axis=1)))


def receiver(rows, light):
    return tf.reduce_mean(tf.square(tf.linalg.matvec(rows, tilt) * reach - light))


def aim_all(keep, days=4):
    for day in range(days):
        light = sun * (1.0 + 0.1 * day)
        with tf.GradientTape(persistent=keep) as tape:  #!
            loss = receiver(mirrors, light) + 0.1 * spill(mirrors)
        grads = tape.gradient(loss, {"tilt": tilt, "reach": reach})
        tilt.assign_sub(0.05 * grads["tilt"])
        reach.assign_sub(0.05 * grads["reach"])
    return grads


def broken():
    return aim_all(keep=True)


def fixed():
    return aim_all(keep=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
