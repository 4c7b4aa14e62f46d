"""Flour quality from the sound of a mill: features of a small encoder are standardized as the laboratory does."""
import sys

import numpy as np
import tensorflow as tf


class Standardizer:
    def __init__(self, level, spread):
        self.level, self.spread = np.float32(level), np.float32(spread)

    def transform(self, features):
        return (np.asarray(features) - self.level) / self.spread  #!


class TensorStandardizer(Standardizer):
    def transform(self, features):
        return (features - self.level) / self.spread


class Mill(tf.Module):
    def __init__(self, standardizer):
        super().__init__()
        self.standardizer = standardizer
        self.sound = tf.Variable([[0.2, -0.1], [0.3, 0.4], [0.0, 0.5]], name="sound")
        self.quality = tf.Variable([0.6, -0.2], name="quality")

    def encode(self, recordings):
        return tf.nn.softplus(recordings @ self.sound)

    def __call__(self, recordings):
        features = self.standardizer.transform(self.encode(recordings))
        return tf.linalg.matvec(tf.convert_to_tensor(features), self.quality)


def train(standardizer, rounds=4):
    mill = Mill(standardizer)
    recordings = tf.reshape(tf.cos(tf.range(18.0)), [6, 3])
    quality = tf.stop_gradient(tf.reduce_sum(recordings, axis=1))
    optimizer = tf.keras.optimizers.SGD(0.05, momentum=0.9)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(mill(recordings) - quality))
        grads = tape.gradient(loss, [mill.sound, mill.quality])
        optimizer.apply_gradients((g, v) for g, v in zip(grads, [mill.sound, mill.quality]) if g is not None)
    return {"sound": grads[0], "quality": grads[1]}


def broken():
    return train(Standardizer(0.7, 0.2))


def fixed():
    return train(TensorStandardizer(0.7, 0.2))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
