"""Nests of herons by a kernel over places on a lake; the distances between the nests are worked out where they are used."""
import sys

import tensorflow as tf


class Lake(tf.Module):
    def __init__(self, nests):
        super().__init__(name="lake")
        self.nests = nests
        self.reach = tf.Variable(0.7, name="reach")
        self.chicks = tf.Variable(0.1 * tf.ones([nests.shape[0]]), name="chicks")

    def apart(self):
        gaps = self.nests[:, tf.newaxis] - self.nests[tf.newaxis]
        return tf.sqrt(tf.reduce_sum(tf.square(gaps), axis=2) + 1e-9)  #!

    def expected(self):
        return tf.linalg.matvec(tf.exp(-self.apart() / self.reach), self.chicks)  #~


class MeasuredLake(Lake):
    def __init__(self, nests):
        super().__init__(nests)
        self.measured = super().apart()

    def apart(self):
        return self.measured


def breed(kind, springs=4):
    east = tf.range(40.0)
    lake = kind(tf.stack([tf.sin(east * 0.9), tf.cos(east * 0.4)], axis=1))
    seen = 1.0 + 0.5 * tf.sin(east)
    optimizer = tf.keras.optimizers.SGD(0.001)
    for _ in range(springs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(lake.expected() - seen))
        grads = tape.gradient(loss, [lake.reach, lake.chicks])
        optimizer.apply_gradients(zip(grads, [lake.reach, lake.chicks]))
    return {"reach": grads[0], "chicks": grads[1]}


def broken():
    return breed(Lake)


def fixed():
    return breed(MeasuredLake)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
