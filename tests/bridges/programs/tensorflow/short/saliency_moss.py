"""Which pixels speak for moss: the slope of a class's score by the picture, from a frozen classifier."""
import sys

import tensorflow as tf


def classifier(pictures):
    kernel = tf.constant([[0.4, -0.2], [0.1, 0.3], [-0.5, 0.2]], name="kernel")
    return tf.nn.softmax(tf.nn.tanh(pictures) @ kernel)


def attention(picture, calibration, watch):
    with tf.GradientTape() as tape:
        if watch:
            tape.watch(picture)
        scores = classifier(picture) * calibration
        moss = tf.reduce_sum(scores[:, 1])
    return dict(zip(["picture", "calibration"], tape.gradient(moss, [picture, calibration])))


def broken():
    picture = tf.constant([[0.2, 0.7, -0.1], [0.5, -0.3, 0.9]])  #!
    return attention(picture, tf.Variable(1.1, name="calibration"), watch=False)


def fixed():
    picture = tf.constant([[0.2, 0.7, -0.1], [0.5, -0.3, 0.9]])
    return attention(picture, tf.Variable(1.1, name="calibration"), watch=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
