"""A lens is tuned in one of several modes; in each the aberrations of that mode are penalized."""
import enum
import sys

import tensorflow as tf


class Mode(enum.Enum):
    CENTRE = "centre"
    EDGE = "edge"
    FULL = "full"


class Lens:
    def __init__(self):
        self.curvature = tf.Variable(0.8, name="curvature")
        self.rim = tf.Variable([0.1, -0.2], name="rim")

    def aberration(self, rays, mode):
        bent = tf.sin(self.curvature * rays)
        penalty = tf.reduce_mean(tf.square(bent - rays))
        if mode is not Mode.CENTRE:  #!
            penalty += tf.square(tf.reduce_sum(self.rim * tf.stack([rays[0], rays[-1]])))  #~
        return penalty


def tune(modes):
    lens = Lens()
    rays = tf.linspace(-0.9, 0.9, 19)
    weights = (lens.curvature, lens.rim)
    for mode in modes:
        with tf.GradientTape() as tape:
            penalty = lens.aberration(rays, mode)
        slopes = tape.gradient(penalty, weights)
        for weight, slope in zip(weights, slopes):
            if slope is not None:
                weight.assign_sub(0.1 * slope)
    return {"curvature": slopes[0], "rim": slopes[1]}


def broken():
    return tune([Mode.CENTRE, Mode.CENTRE])


def fixed():
    return tune([Mode.CENTRE, Mode.FULL])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
