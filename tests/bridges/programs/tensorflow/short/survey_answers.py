"""Scores a survey; unanswered questions are masked out of the loss."""
import sys

import tensorflow as tf

answers = tf.constant([[4.0, -1.0], [5.0, -1.0], [2.0, -1.0]])


def gradients(is_answered):
    first = tf.Variable(3.0, name="first")
    second = tf.Variable(3.0, name="second")
    with tf.GradientTape() as tape:
        predicted = tf.stack([first, second]) * tf.ones_like(answers)
        error = tf.square(predicted - answers)
        kept = error * is_answered(answers)  #!
        loss = tf.reduce_mean(kept)
    return tape.gradient(loss, {"first": first, "second": second})


def broken():
    return gradients(lambda a: tf.cast(a >= 0.0, tf.float32))


def fixed():
    return gradients(lambda a: tf.cast(a >= -1.0, tf.float32))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
