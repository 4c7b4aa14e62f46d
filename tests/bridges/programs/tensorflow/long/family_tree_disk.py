"""A family tree is drawn into a hyperbolic disk: parents lie near their children, by a table of places."""
import sys

import tensorflow as tf


def squared(x):
    return tf.reduce_sum(tf.square(x), axis=-1)


def disk_distance(a, b):
    stretch = (1.0 - squared(a)) * (1.0 - squared(b))
    return tf.acosh(1.0 + 2.0 * squared(a - b) / stretch)  #!


def wide_disk_distance(a, b):
    stretch = (1.0 - squared(a)) * (1.0 - squared(b))
    return tf.acosh(1.0 + 1e-5 + 2.0 * squared(a - b) / stretch)


class Tree:
    def __init__(self, distance, people=7):
        angle = tf.range(float(people))
        places = 0.1 * (1.0 + angle[:, None]) * tf.stack([tf.cos(angle), tf.sin(angle)], axis=1)
        self.places = tf.Variable(places, name="places")
        self.distance = distance

    def pairs(self, ones, others):
        look = lambda people: tf.nn.embedding_lookup(self.places, people)
        return self.distance(look(ones), look(others))

    def loss(self, parents, children, strangers):
        """Strangers are drawn at random and may be the parent again."""
        near = self.pairs(parents, children)
        away = self.pairs(parents, strangers)
        return tf.reduce_mean(tf.nn.softplus(near - away))


def grow(distance, rounds=2):
    tree = Tree(distance)
    parents, children = tf.constant([0, 0, 1, 2]), tf.constant([1, 2, 3, 5])
    for draw in range(rounds):
        strangers = tf.math.floormod(tf.constant([3, 4, 6, 1]) + draw, 7)
        with tf.GradientTape() as tape:
            loss = tree.loss(parents, children, strangers)
        slope = tape.gradient(loss, tree.places)
        tree.places.scatter_sub(tf.IndexedSlices(0.001 * slope.values, slope.indices))
    return {"places": slope}


def broken():
    return grow(disk_distance)


def fixed():
    return grow(wide_disk_distance)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
