"""Trains a recogniser of leaves and keeps a slow average of its weights; the loss is taken of the average by mistake."""
import sys

import tensorflow as tf


class Leaves(tf.Module):
    def __init__(self, prefix):
        super().__init__(name=prefix)
        self.veins = tf.Variable(tf.reshape(0.4 * tf.sin(tf.range(12.0)), [4, 3]), name=f"{prefix}_veins")
        self.shape = tf.Variable(tf.reshape(0.4 * tf.cos(tf.range(6.0)), [3, 2]), name=f"{prefix}_shape")

    def __call__(self, leaves):
        return tf.nn.silu(leaves @ self.veins) @ self.shape


class Averaged:
    def __init__(self, use_average):
        self.fast, self.slow = Leaves("fast"), Leaves("slow")
        self.use_average = use_average

    def update(self, keep=0.9):
        for slow, fast in zip(self.slow.variables, self.fast.variables):
            slow.assign(keep * slow + (1.0 - keep) * fast)

    def loss(self, leaves, kinds):
        decay = 1e-3 * tf.add_n([tf.reduce_sum(weight * weight) for weight in self.fast.variables])
        model = self.slow if self.use_average else self.fast
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(kinds, model(leaves))
        return tf.reduce_mean(entropy), decay  #!


def train(use_average, rounds=3):
    models = Averaged(use_average)
    leaves = tf.reshape(tf.sin(tf.range(32.0) * 0.5), [8, 4])
    kinds = tf.range(8) % 2
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss, decay = models.loss(leaves, kinds)
        grads = tape.gradient(loss, models.fast.trainable_variables)
        for weight, grad in zip(models.fast.trainable_variables, grads):
            if grad is not None:
                weight.assign_sub(0.1 * grad)
    models.update()
    return {"fast_veins": grads[1], "fast_shape": grads[0]}


def broken():
    return train(use_average=True)


def fixed():
    return train(use_average=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
