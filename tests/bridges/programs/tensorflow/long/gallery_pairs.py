"""Pairs paintings with their descriptions; both towers learn by a contrastive loss in both directions."""
import sys

import tensorflow as tf


class Tower(tf.Module):
    def __init__(self, size, width=4, speed=1.0, name=None):
        super().__init__(name=name)
        self.inner = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(6.0 * size) * speed), [size, 6]), name=f"{name}_inner")
        self.outer = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(6.0 * width) * speed), [6, width]), name=f"{name}_outer")

    def __call__(self, rows):
        return tf.math.l2_normalize(tf.nn.gelu(rows @ self.inner) @ self.outer, axis=1)


class Pairing:
    def __init__(self, once):
        self.pictures, self.texts = Tower(5, name="pictures"), Tower(7, speed=0.6, name="texts")
        self.once = once

    def direction(self, queries, keys):
        logits = 10.0 * tf.matmul(queries, keys, transpose_b=True)
        labels = tf.range(tf.shape(logits)[0])
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def loss(self, paintings, words):
        if self.once:
            pictures, texts = self.pictures(paintings), self.texts(words)
            return 0.5 * (self.direction(pictures, texts) + self.direction(texts, pictures))
        by_picture = self.direction(self.pictures(paintings), self.texts(words))  #~
        by_text = self.direction(self.texts(words), self.pictures(paintings))  #!
        return 0.5 * (by_picture + by_text)


def train(once, steps=4, rate=0.05):
    pairing = Pairing(once)
    paintings = tf.reshape(tf.sin(tf.range(40.0) * 0.3), [8, 5])
    words = tf.reshape(tf.cos(tf.range(56.0) * 0.2), [8, 7])
    variables = [*pairing.pictures.trainable_variables, *pairing.texts.trainable_variables]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = pairing.loss(paintings, words)
        grads = tape.gradient(loss, variables)
        for variable, grad in zip(variables, grads):
            variable.assign_sub(rate * grad)
    return {variable.name.split(":")[0]: grad for variable, grad in zip(variables, grads)}


def broken():
    return train(once=False)


def fixed():
    return train(once=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
