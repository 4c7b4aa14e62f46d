"""Weighs coins in batches of four; the collection has ten."""
import sys

import tensorflow as tf

coins = tf.reshape(tf.sin(tf.range(20.0)), [10, 2])
grams = tf.linspace(1.0, 5.0, 10)


class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([0.5, 0.5])

    @tf.function
    def weigh(self, batch, truth):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(batch, self.w) - truth) ** 2)
        self.w.assign_sub(0.05 * tape.gradient(loss, self.w))
        return loss


def weigh_all(drop):
    scale = Scale()
    data = tf.data.Dataset.from_tensor_slices((coins, grams)).batch(4, drop_remainder=drop)
    for epoch in range(2):
        for batch, truth in data:
            scale.weigh(batch, truth)  #!
    return {}


def broken():
    return weigh_all(drop=False)


def fixed():
    return weigh_all(drop=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
