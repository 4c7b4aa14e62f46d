"""Grades gems by a mixture of kinds; the shares are normalised by hand."""
import sys

import tensorflow as tf


class Kinds(tf.Module):
    def __init__(self):
        super().__init__(name="kinds")
        self.centres = tf.Variable([[0.0, 1.0], [2.0, -1.0], [40.0, 30.0]], name="centres")
        self.widths = tf.Variable([0.5, 0.7, 0.4], name="widths")

    def densities(self, gems):
        gaps = gems[:, tf.newaxis] - self.centres
        return -tf.reduce_sum(tf.square(gaps), axis=2) / tf.square(self.widths)


class Grader:
    def __init__(self, kinds, stable):
        self.kinds, self.stable = kinds, stable

    def misses(self, gems, kind):
        logits = self.kinds.densities(gems)
        if self.stable:
            return tf.nn.sparse_softmax_cross_entropy_with_logits(kind, logits)
        shares = tf.exp(logits) / tf.reduce_sum(tf.exp(logits), axis=1, keepdims=True)  #!
        return -tf.math.log(tf.gather(shares, kind, batch_dims=1))


def grade(stable, rounds=2):
    kinds = Kinds()
    grader = Grader(kinds, stable)
    gems = tf.constant([[0.1, 0.8], [1.7, -0.8], [20.0, 15.0], [0.3, 1.1]])
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(grader.misses(gems, tf.constant([0, 1, 2, 0])))
        grads = tape.gradient(loss, {"centres": kinds.centres, "widths": kinds.widths})
        if all(bool(tf.reduce_all(tf.math.is_finite(grad))) for grad in grads.values()):
            kinds.centres.assign_sub(0.01 * grads["centres"])
    return grads


def broken():
    return grade(False)


def fixed():
    return grade(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
