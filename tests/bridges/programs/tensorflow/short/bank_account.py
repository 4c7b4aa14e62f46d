"""Interest on an account that is paid in and out of."""
import sys

import tensorflow as tf


def broken():
    deposit = tf.Variable(100.0, name="deposit")
    balance = tf.Variable(50.0, name="balance")
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            tf.debugging.assert_positive(deposit)
        balance.assign_add(deposit * 0.9)  #!
        interest = 0.03 * balance + 1e-4 * tf.square(balance)  #~
    return dict(zip(["deposit", "balance"], tape.gradient(interest, [deposit, balance])))


def fixed():
    deposit = tf.Variable(100.0, name="deposit")
    balance = tf.Variable(50.0, name="balance")
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            tf.debugging.assert_positive(deposit)
        total = balance + deposit * 0.9
        interest = 0.03 * total + 1e-4 * tf.square(total)
    return dict(zip(["deposit", "balance"], tape.gradient(interest, [deposit, balance])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
