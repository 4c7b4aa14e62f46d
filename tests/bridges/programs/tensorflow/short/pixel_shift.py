"""Sub-pixel shift of a sensor line, found by matching two lines."""
import sys

import tensorflow as tf

line = tf.constant([0.0, 0.2, 0.9, 1.4, 0.8, 0.1])
seen = tf.constant([0.1, 0.6, 1.2, 1.1, 0.4, 0.0])


def shifted(amount):
    whole = tf.cast(amount * 10.0, tf.int32)  #!
    part = tf.cast(whole, tf.float32) / 10.0
    return (1.0 - part) * line[:-1] + part * line[1:]


def broken():
    amount = tf.Variable(0.45, name="amount")
    gain = tf.Variable(1.1, name="gain")
    with tf.GradientTape() as tape:
        mask = tf.cast(seen[:-1] > 0.05, tf.float32)
        loss = tf.reduce_sum(mask * tf.square(gain * shifted(amount) - seen[:-1]))
    return dict(zip(["amount", "gain"], tape.gradient(loss, [amount, gain])))


def fixed():
    amount = tf.Variable(0.45, name="amount")
    gain = tf.Variable(1.1, name="gain")
    with tf.GradientTape() as tape:
        mask = tf.cast(seen[:-1] > 0.05, tf.float32)
        moved = (1.0 - amount) * line[:-1] + amount * line[1:]
        loss = tf.reduce_sum(mask * tf.square(gain * moved - seen[:-1]))
    return dict(zip(["amount", "gain"], tape.gradient(loss, [amount, gain])))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
