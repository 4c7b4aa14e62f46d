"""Warmth of a ferment, smoothed by a running mean that the loss looks at."""
import sys

import tensorflow as tf

sugar = tf.Variable(0.6, name="sugar")
cooling = tf.Variable(0.2, name="cooling")
memory = tf.Variable(0.0, trainable=False, name="memory")


def heat(hour):
    return sugar * tf.exp(-0.1 * hour)


def smoothed(warmth, decay=0.8):
    memory.assign(decay * memory + (1.0 - decay) * warmth)  #!
    return memory.read_value()  #~


def smoothed_value(warmth, decay=0.8):
    mean = decay * memory + (1.0 - decay) * warmth
    memory.assign(mean)
    return mean


def watch_over(smooth):
    for hour in tf.range(4.0):
        with tf.GradientTape() as tape:
            level = smooth(heat(hour)) - cooling
            loss = tf.square(level - 0.1)
    return tape.gradient(loss, {"sugar": sugar, "cooling": cooling})


def broken():
    return watch_over(smoothed)


def fixed():
    return watch_over(smoothed_value)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
