"""Predicts the crust of loaves in an oven, loaf by loaf."""
import sys

import tensorflow as tf


class Crust(tf.Module):
    def __init__(self):
        super().__init__(name="crust")
        self.bake = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(20.0)), [4, 5]), name="bake")
        self.score = tf.Variable(0.3 * tf.cos(tf.range(5.0)), name="score")

    def of_loaf(self, loaf):
        return tf.tensordot(tf.tanh(tf.linalg.matvec(self.bake, loaf, transpose_a=True)), self.score, 1)  #!

    def __call__(self, loaves):
        return tf.stack([self.of_loaf(loaf) for loaf in tf.unstack(loaves)])  #~


class BatchedCrust(Crust):
    def __call__(self, loaves):
        return tf.linalg.matvec(tf.tanh(loaves @ self.bake), self.score)


def bake(model, batches=3, loaves=28):
    optimizer = tf.keras.optimizers.SGD(0.1)
    weights = [model.bake, model.score]
    for k in range(batches):
        dough = tf.reshape(tf.cos(tf.range(loaves * 4.0) * 0.4 + k), [loaves, 4])
        brown = tf.sigmoid(dough[:, 0] + dough[:, 2])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(model(dough) - brown))
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"bake": grads[0], "score": grads[1]}


def broken():
    return bake(Crust())


def fixed():
    return bake(BatchedCrust())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
