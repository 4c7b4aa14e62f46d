"""How the pressure at each point of a sail depends on its two trims."""
import sys

import tensorflow as tf


class Sail:
    def __init__(self, points=12):
        self.points = tf.linspace(0.1, 1.0, points)
        self.trim = tf.Variable([0.4, 0.7], name="trim")

    def pressure(self):
        arch = self.trim[0] * tf.sin(3.1 * self.points)
        return tf.square(arch) + self.trim[1] * self.points


def by_point(sail):
    rows = []
    with tf.GradientTape(persistent=True) as tape:
        pressure = sail.pressure()
        points = tf.unstack(pressure)
    for point in points:
        rows.append(tape.gradient(point, sail.trim))  #!
    return tf.stack(rows)


def whole(sail):
    with tf.GradientTape() as tape:
        pressure = sail.pressure()
    return tape.jacobian(pressure, sail.trim)


class Trimmer:
    """Gauss-Newton on the pressure that the crew wants."""

    def __init__(self, sail, sensitivities):
        self.sail, self.sensitivities = sail, sensitivities

    def step(self, wanted):
        rows = self.sensitivities(self.sail)
        gap = wanted - self.sail.pressure()
        change = tf.linalg.lstsq(rows, gap[:, tf.newaxis], l2_regularizer=1e-3)
        self.sail.trim.assign_add(0.5 * change[:, 0])
        return {"trim": rows}


def sail_on(sensitivities, legs=3):
    trimmer = Trimmer(Sail(), sensitivities)
    for leg in range(legs):
        result = trimmer.step(0.3 + 0.1 * leg * trimmer.sail.points)
    return result


def broken():
    return sail_on(by_point)


def fixed():
    return sail_on(whole)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
