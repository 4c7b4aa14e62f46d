"""Moss along a wall as a Gaussian process: its mean and its doubt at new places, both from one factorization of the matrix."""
import sys

import tensorflow as tf


class Moss:
    def __init__(self, count=24):
        self.places = tf.linspace(0.0, 5.0, count)[:, None]
        self.heights = tf.sin(2.0 * self.places)
        self.reach = tf.Variable(0.8, name="reach")
        self.noise = tf.Variable(0.2, name="noise")

    def likeness(self, a, b):
        return tf.exp(-tf.square(a - tf.transpose(b)) / (2.0 * tf.square(self.reach)))

    def factor(self):
        matrix = self.likeness(self.places, self.places)
        jitter = tf.square(self.noise) + 1e-4
        return tf.linalg.cholesky(matrix + jitter * tf.eye(matrix.shape[0]))  #~

    def mean(self, new):
        solved = tf.linalg.cholesky_solve(self.factor(), self.heights)
        return tf.matmul(self.likeness(new, self.places), solved)

    def variance(self, new):
        half = tf.linalg.triangular_solve(self.factor(), self.likeness(self.places, new))  #!
        return 1.0 - tf.reduce_sum(tf.square(half), axis=0)

    def predict(self, new):
        return self.mean(new), self.variance(new)


class SharedMoss(Moss):
    def predict(self, new):
        factor = self.factor()
        across = self.likeness(self.places, new)
        solved = tf.linalg.cholesky_solve(factor, self.heights)
        half = tf.linalg.triangular_solve(factor, across)
        return tf.matmul(across, solved, transpose_a=True), 1.0 - tf.reduce_sum(tf.square(half), axis=0)


def survey(moss, rounds=2):
    new = tf.linspace(0.1, 4.9, 9)[:, None]
    measured = tf.sin(2.0 * new)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            mean, variance = moss.predict(new)
            variance = variance[:, None] + tf.square(moss.noise)
            loss = tf.reduce_mean(tf.square(mean - measured) / variance + tf.math.log(variance))
        reach, noise = tape.gradient(loss, [moss.reach, moss.noise])
        moss.reach.assign_sub(0.001 * reach)
        moss.noise.assign_sub(0.0001 * noise)
    return {"reach": reach, "noise": noise}


def broken():
    return survey(Moss())


def fixed():
    return survey(SharedMoss())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
