"""Flow of a moraine by an explicit scheme: sixty days are stepped within the compiled loss."""
import sys

import tensorflow as tf

DAYS = 70


def day(height, softness):
    flux = softness * (tf.roll(height, -1, 0) - height)
    return height + 0.1 * (flux - tf.roll(flux, 1, 0))


def unrolled(height, softness):
    for _ in range(DAYS):
        height = day(height, softness)  #!
    return height


def looped(height, softness):
    for _ in tf.range(DAYS):
        height = day(height, softness)
    return height


class Moraine:
    def __init__(self, scheme):
        self.softness = tf.Variable(0.4, name="softness")
        self.tilt = tf.Variable(0.1, name="tilt")
        self.scheme = scheme

    def misfit(self, start, seen):
        tilted = start + self.tilt * tf.linspace(-1.0, 1.0, 12)
        return tf.reduce_mean(tf.square(self.scheme(tilted, self.softness) - seen))


def invert(scheme, passes=3):
    moraine = Moraine(scheme)

    @tf.function
    def descend(start, seen):
        with tf.GradientTape() as tape:
            misfit = moraine.misfit(start, seen)
        grads = tape.gradient(misfit, [moraine.softness, moraine.tilt])
        moraine.softness.assign_sub(0.5 * grads[0])
        moraine.tilt.assign_sub(0.5 * grads[1])
        return grads

    start = tf.sin(tf.linspace(0.0, 6.0, 12))
    for _ in range(passes):
        softness, tilt = descend(start, 0.5 * start)
    return {"softness": softness, "tilt": tilt}


def broken():
    return invert(unrolled)


def fixed():
    return invert(looped)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
