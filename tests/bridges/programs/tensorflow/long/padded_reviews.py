"""Scores reviews of different lengths; padding is masked before the words are averaged."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return 0.4 * tf.reshape(tf.sin(tf.range(float(count)) + 0.3), shape)


class ReviewModel(keras.Model):
    def __init__(self, padding):
        super().__init__(name="reviews")
        self.padding = padding
        self.table = keras.layers.Embedding(8, 4, embeddings_initializer=ramp, name="table")
        self.context = keras.layers.Dense(4, activation="tanh", kernel_initializer=ramp, name="context")
        self.score = keras.layers.Dense(1, kernel_initializer=ramp, name="score")

    def call(self, words):
        vectors = self.context(self.table(words))
        mask = tf.cast(tf.not_equal(words, self.padding), tf.float32)[:, :, None]
        kept = vectors * mask  #!
        return self.score(tf.reduce_sum(kept, axis=1) / (tf.reduce_sum(mask, axis=1) + 1.0))


def reviews():
    words = tf.constant([[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]])
    return words, tf.constant([[1.0], [0.0], [1.0]])


def gradients(padding):
    words, liked = reviews()
    model = ReviewModel(padding)
    model(words)
    with tf.GradientTape() as tape:
        logits = model(words, training=True)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(liked, logits))
    grads = tape.gradient(loss, [model.context.kernel, model.context.bias, model.score.bias])
    names = ["reviews/context/kernel", "reviews/context/bias", "reviews/score/bias"]
    return dict(zip(names, grads))


def broken():
    return gradients(padding=1)


def fixed():
    return gradients(padding=0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
