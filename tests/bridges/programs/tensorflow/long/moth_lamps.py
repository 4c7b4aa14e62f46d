"""Moths around lamps: the draw of each lamp falls off with the square of the distance, in metres on a map in metres."""
import sys

import tensorflow as tf


class Lamps(tf.Module):
    def __init__(self):
        super().__init__(name="lamps")
        self.where = tf.Variable([[120.0, 40.0], [300.0, 210.0], [60.0, 260.0]], name="where")
        self.draw = tf.Variable([1.0, 0.8, 1.2], name="draw")
        self.night = tf.Variable(0.4, name="night")

    def apart(self, moths):
        return tf.reduce_sum(tf.square(moths[:, tf.newaxis] - self.where), axis=-1)

    def light(self, moths):
        near = tf.exp(-self.apart(moths))  #!
        return tf.linalg.matvec(near, self.draw) + self.night


class WideLamps(Lamps):
    def light(self, moths):
        near = tf.exp(-self.apart(moths) / 20000.0)
        return tf.linalg.matvec(near, self.draw) + self.night


def trap(hour):
    east = 200.0 + 90.0 * tf.sin(1.3 * tf.range(8.0) + hour)
    north = 150.0 + 80.0 * tf.cos(0.9 * tf.range(8.0) + hour)
    return tf.stack([east, north], axis=1), tf.abs(tf.sin(tf.range(8.0)))


def watch(lamps, hours=3):
    sources = [lamps.where, lamps.draw, lamps.night]
    for hour in range(hours):
        moths, counted = trap(float(hour))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(lamps.light(moths) - counted))
        slopes = tape.gradient(loss, sources)
        for source, slope in zip(sources, slopes):
            source.assign_sub(0.1 * slope)
    return dict(zip(["where", "draw", "night"], slopes))


def broken():
    return watch(Lamps())


def fixed():
    return watch(WideLamps())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
