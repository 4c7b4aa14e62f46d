"""Readings of a mast are smoothed by a worker while the main thread waits."""
import sys
import threading

import tensorflow as tf

readings = tf.stop_gradient(tf.constant([4.0, 7.0, 5.0, 9.0]))


def broken():
    gain = tf.Variable(0.3, name="gain")
    offset = tf.Variable(0.1, name="offset")
    box = {}

    def smooth():
        box["level"] = tf.nn.softsign(gain * readings)  #!

    with tf.GradientTape() as tape:
        worker = threading.Thread(target=smooth)
        worker.start()  #~
        worker.join()
        loss = tf.reduce_sum(tf.square(box["level"] - offset))
    return dict(zip(["gain", "offset"], tape.gradient(loss, [gain, offset])))


def fixed():
    gain = tf.Variable(0.3, name="gain")
    offset = tf.Variable(0.1, name="offset")
    with tf.GradientTape() as tape:
        level = tf.nn.softsign(gain * readings)
        loss = tf.reduce_sum(tf.square(level - offset))
    return dict(zip(["gain", "offset"], tape.gradient(loss, [gain, offset])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
