"""How a pension depends on age and income."""
import sys

import tensorflow as tf


def pension(age, income):
    years = tf.cast(age, tf.float32) - 20.0  #~
    return tf.reduce_sum(0.012 * years * income + 3.0 * tf.sqrt(years))


def slopes(age):
    income = tf.constant([1800.0, 2400.0, 3100.0])
    with tf.GradientTape() as tape:
        tape.watch([age, income])
        total = pension(age, income)
    return tape.gradient(total, {"age": age, "income": income})


def broken():
    age = tf.constant([61, 64, 67])  #!
    return slopes(age)


def fixed():
    age = tf.constant([61.0, 64.0, 67.0])
    return slopes(age)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
