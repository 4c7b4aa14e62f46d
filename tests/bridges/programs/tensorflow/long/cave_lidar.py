"""A scan of a cave has holes: distances there are masked, and the norm is written so that zero does no harm."""
import sys

import tensorflow as tf

FAR = -1e9


class Scan:
    def __init__(self, rays=16):
        angle = tf.linspace(0.0, 6.0, rays)
        reach = 2.0 + tf.sin(3.0 * angle)
        self.points = tf.stack([reach * tf.cos(angle), reach * tf.sin(angle)], axis=1)
        self.seen = tf.range(rays) % 5 != 0
        self.points = tf.where(self.seen[:, tf.newaxis], self.points, 0.0)


def safe_norm(vectors):
    square = tf.reduce_sum(tf.square(vectors), axis=-1)
    there = square > 0.0
    return tf.where(there, tf.sqrt(tf.where(there, square, 1.0)), 0.0)


class Walls(tf.Module):
    def __init__(self, count=5):
        super().__init__(name="walls")
        angle = tf.linspace(0.0, 5.0, count)
        self.centres = tf.Variable(tf.stack([tf.cos(angle), tf.sin(angle)], axis=1) * 1.5, name="centres")
        self.radii = tf.Variable(tf.fill([count], 0.6), name="radii")

    def distance(self, points):
        apart = safe_norm(points[:, tf.newaxis] - self.centres)
        return tf.abs(apart - tf.nn.softplus(self.radii))

    def __call__(self, points, seen):
        scores = tf.where(seen[:, tf.newaxis], -self.distance(points), FAR)
        share = tf.stop_gradient(tf.nn.softmax(scores, axis=1))
        nearest = tf.reduce_sum(share * self.distance(points), axis=1)
        return tf.reduce_sum(tf.where(seen, nearest, 0.0)) / tf.reduce_sum(tf.cast(seen, tf.float32))


def broken():
    scan, walls = Scan(), Walls()
    sources = [walls.centres, walls.radii]
    for _ in range(6):
        with tf.GradientTape() as tape:
            loss = walls(scan.points, scan.seen)
        slopes, size = tf.clip_by_global_norm(tape.gradient(loss, sources), 1.0)
        for source, slope in zip(sources, slopes):
            source.assign_sub(0.05 * slope)
    return dict(zip(["centres", "radii"], slopes))


if __name__ == "__main__":
    print(broken())
