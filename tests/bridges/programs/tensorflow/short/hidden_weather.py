"""A hidden Markov model of weather: the chance of a long row of days, multiplied up day by day."""
import sys

import tensorflow as tf

days = tf.range(400) % 2
stay = tf.Variable(0.4, name="stay")
seen = tf.Variable([0.3, -0.2], name="seen")


def chances():
    keep = tf.sigmoid(stay)
    move = tf.stack([tf.stack([keep, 1.0 - keep]), tf.stack([1.0 - keep, keep])])
    sun = tf.sigmoid(seen)
    return move, tf.stack([sun, 1.0 - sun])


def likelihood(in_logs):
    move, shown = chances()
    each = tf.gather(shown, days) @ move
    if in_logs:
        return -tf.reduce_sum(tf.math.log(tf.reduce_sum(each, axis=1) * 0.5))
    return -tf.reduce_prod(tf.reduce_sum(each, axis=1) * 0.5)  #!


def gradients(in_logs):
    with tf.GradientTape() as tape:
        loss = likelihood(in_logs)
    return {"seen": tape.gradient(loss, seen)}


def broken():
    return gradients(in_logs=False)


def fixed():
    return gradients(in_logs=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
