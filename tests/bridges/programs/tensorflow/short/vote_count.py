"""Share of voters who lean to one side, by the sign of their score."""
import sys

import tensorflow as tf

scores = tf.constant([0.3, -0.2, 0.8, -0.6])


def gradients(lean):
    shift = tf.Variable(0.1, name="shift")
    with tf.GradientTape() as tape:
        votes = lean(scores + shift)
        loss = tf.square(tf.reduce_mean(votes) - 0.5)
    return {"shift": tape.gradient(loss, shift)}


def hard(x):
    return tf.sign(x)  #!


def broken():
    return gradients(hard)


def fixed():
    return gradients(lambda x: tf.tanh(4.0 * x))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
