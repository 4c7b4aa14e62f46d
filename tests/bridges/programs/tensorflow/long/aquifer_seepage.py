"""Groundwater below a dam by a network that obeys Darcy: head, seepage and a residual at points of the ground."""
import sys

import tensorflow as tf

POINTS = 20


def layer(rows, columns, name, speed):
    values = 0.6 * tf.sin(tf.range(float(rows * columns)) * speed + 0.2)
    return tf.Variable(tf.reshape(values, [rows, columns]), name=name)


class Head(tf.Module):
    def __init__(self):
        super().__init__(name="head")
        self.first, self.second = layer(2, 12, "first", 0.7), layer(12, 12, "second", 0.5)
        self.last = layer(12, 1, "last", 0.9)

    def __call__(self, place):
        hidden = tf.tanh(tf.matmul(place, self.first))
        return tf.matmul(tf.tanh(tf.matmul(hidden, self.second)), self.last)


class Ground:
    """Permeability falls with depth."""

    def __init__(self, surface=1.0, decay=0.5):
        self.surface, self.decay = surface, decay

    def permeability(self, depth):
        return self.surface * tf.exp(-self.decay * depth)


def ground_points():
    east = tf.linspace(-1.0, 1.0, POINTS)[:, None]
    below = 0.5 + 0.4 * tf.cos(tf.range(float(POINTS)) * 1.3)[:, None]
    return tf.concat([east, below], axis=1)


def seepage(head, ground, joined):
    place = ground_points()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(place)
        along, depth = place[:, 0:1], place[:, 1:2]  #!
        if joined:
            tape.watch([along, depth])
            level = head(tf.concat([along, depth], axis=1))
        else:
            level = head(place)  #~
    rise = tape.gradient(level, along)  #~
    sink = tape.gradient(level, depth)  #~
    whole = tape.gradient(level, place)
    if rise is not None:
        flow = -ground.permeability(depth) * tf.concat([rise, sink], axis=1)
        tf.debugging.assert_all_finite(flow, "seepage")
    return {"along": rise, "depth": sink, "place": whole}


def broken():
    answers = seepage(Head(), Ground(), joined=False)
    return {name: answers[name] for name in ("along", "depth")}


def fixed():
    answers = seepage(Head(), Ground(), joined=True)
    return {name: answers[name] for name in ("along", "depth")}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
