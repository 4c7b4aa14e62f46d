"""Places buoys in a bay: every two push each other away, and all are drawn to the fairway."""
import sys

import tensorflow as tf

BUOYS = 8


def push(a, b, reach):
    away = tf.reduce_sum(tf.square(a - b))
    return tf.exp(-away / reach)  #~


class Bay:
    def __init__(self):
        angle = tf.range(float(BUOYS)) * 0.8
        self.places = tf.Variable(tf.stack([tf.cos(angle) * 2.0, tf.sin(angle)], axis=1), name="places")
        self.reach = tf.Variable(1.5, name="reach")

    def crowding(self):
        total = 0.0
        for first in range(BUOYS):
            for second in range(first + 1, BUOYS):
                total += push(self.places[first], self.places[second], self.reach)  #!
        return total

    def drift(self):
        return tf.reduce_sum(tf.square(self.places[:, 1]))

    def energy(self):
        return self.crowding() + 0.1 * self.drift() + 0.05 * tf.square(self.reach - 1.0)


class BroadBay(Bay):
    def crowding(self):
        apart = self.places[:, tf.newaxis] - self.places[tf.newaxis]
        pushes = tf.exp(-tf.reduce_sum(tf.square(apart), axis=-1) / self.reach)
        return tf.reduce_sum(tf.linalg.band_part(pushes, 0, -1)) - tf.linalg.trace(pushes)


def settle(bay, tides=3):
    optimizer = tf.keras.optimizers.SGD(0.05)
    sources = [bay.places, bay.reach]
    for tide in range(tides):
        with tf.GradientTape() as tape:
            energy = bay.energy()
        grads = tape.gradient(energy, sources)
        optimizer.apply_gradients(zip(grads, sources))
    print(f"energy {float(energy):.4f}")
    return dict(zip(("places", "reach"), grads))


def broken():
    return settle(Bay())


def fixed():
    return settle(BroadBay())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
