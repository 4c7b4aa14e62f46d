"""A rhyme grows sign by sign; a compiled score looks at all that is there."""
import sys

import tensorflow as tf

taste = tf.Variable(tf.sin(tf.range(8.0)), name="taste")


@tf.function
def score(signs):
    value = tf.gather(taste, signs)
    return tf.reduce_mean(tf.square(value - tf.reduce_mean(value)))


def written(length):
    return [(5 * place + 2) % 8 for place in range(length)]


def verses(pad):
    for length in range(3, 7):
        yield written(max(length, pad))


def sing(pad):
    for verse in verses(pad):
        with tf.GradientTape() as tape:
            beauty = score(tf.constant(verse))  #!
        slope = tape.gradient(beauty, taste)
    return {"taste": tf.convert_to_tensor(slope)}


def broken():
    return sing(0)


def fixed():
    return sing(6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
