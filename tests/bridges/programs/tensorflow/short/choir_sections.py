"""Sums the loudness of a list of voices that grows."""
import sys

import tensorflow as tf

gain = tf.Variable(0.5, name="gain")


@tf.function
def loudness(voices):
    return tf.square(gain * tf.add_n(voices) - 1.0)


def rehearse(rounds):
    grads = []
    for voices in rounds:
        with tf.GradientTape() as tape:
            level = loudness(voices)  #!
        grads.append(tape.gradient(level, gain))
    return {"gain": tf.add_n(grads)}


def broken():
    voices = [tf.constant(0.2 * k) for k in range(1, 4)]
    return rehearse([voices[:1], voices[:2], voices])


def fixed():
    voices = [tf.constant(0.2 * k) for k in range(1, 4)]
    silence = tf.constant(0.0)
    return rehearse([voices[:k] + [silence] * (3 - k) for k in (1, 2, 3)])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
