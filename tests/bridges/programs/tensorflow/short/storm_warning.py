"""Costs of storm warnings: a warning is given above a level of wind."""
import sys

import tensorflow as tf

wind = 12.0 + 9.0 * tf.sin(tf.range(30.0) * 0.7)
damage = tf.nn.relu(wind - 15.0) ** 2


def hard(level):
    return tf.cast(tf.greater(wind, level), tf.float32)  #!


def soft(level):
    return tf.sigmoid(wind - level)


def cost(warned, effort):
    return tf.reduce_mean(tf.where(warned > 0.5, effort + 0.2 * damage, damage) * (0.5 + 0.5 * warned))


def slopes(warning):
    level = tf.Variable(17.0, name="level")
    effort = tf.Variable(3.0, name="effort")
    with tf.GradientTape() as tape:
        total = cost(warning(level), effort)
    return tape.gradient(total, {"level": level, "effort": effort})


def broken():
    return slopes(hard)


def fixed():
    return slopes(soft)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
