"""Which corner of an image moves the score most?"""
import sys

import tensorflow as tf

kernel = tf.constant([[0.2, -0.1, 0.4], [0.0, 0.3, -0.2], [0.5, 0.1, 0.1]])


def broken():
    image = tf.reshape(tf.range(9.0), [3, 3]) / 9.0
    with tf.GradientTape() as tape:
        tape.watch(image)
        score = tf.reduce_sum(tf.sigmoid(image * kernel))
        corner = image[:2, :2]  #!
        brightest = tf.argmax(tf.reshape(image, [-1]))
    tf.debugging.assert_less(brightest, tf.constant(9, tf.int64))
    return {"corner": tape.gradient(score, corner)}  #~


def fixed():
    image = tf.reshape(tf.range(9.0), [3, 3]) / 9.0
    with tf.GradientTape() as tape:
        tape.watch(image)
        score = tf.reduce_sum(tf.sigmoid(image * kernel))
        brightest = tf.argmax(tf.reshape(image, [-1]))
    tf.debugging.assert_less(brightest, tf.constant(9, tf.int64))
    corner = tape.gradient(score, image)[:2, :2]
    return {"corner": corner}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
