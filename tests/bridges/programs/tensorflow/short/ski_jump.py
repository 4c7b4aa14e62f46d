"""Best take-off angle of a ski jump: the distance is to be made as large as possible."""
import sys

import tensorflow as tf


def jump_length(angle, speed):
    return speed ** 2 * tf.sin(2.0 * angle) / 9.81


def broken():
    angle = tf.Variable(0.4, name="angle")
    speed = tf.Variable(25.0, name="speed", trainable=True)
    with tf.GradientTape() as tape:
        length = jump_length(angle, speed)
    loss = -length / 100.0  #!
    grads = tape.gradient(loss, [angle, speed])
    return {"angle": grads[0], "speed": grads[1]}


def fixed():
    angle = tf.Variable(0.4, name="angle")
    speed = tf.Variable(25.0, name="speed", trainable=True)
    with tf.GradientTape() as tape:
        length = jump_length(angle, speed)
        loss = -length / 100.0
    grads = tape.gradient(loss, [angle, speed])
    return {"angle": grads[0], "speed": grads[1]}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
