"""Similar recipes by the cosine of their vectors; an unknown ingredient has the vector of padding."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    values = tf.reshape(tf.sin(tf.range(float(count)) * 0.7), shape)
    return values * tf.cast(tf.range(shape[0]) > 0, tf.float32)[:, tf.newaxis]


class Cosine:
    def __init__(self, guarded):
        self.guarded = guarded

    def unit(self, vectors):
        length = tf.sqrt(tf.reduce_sum(vectors**2, axis=-1, keepdims=True) + 1e-12 * float(self.guarded))
        return vectors / length  #!

    def __call__(self, left, right):
        return tf.reduce_sum(self.unit(left) * self.unit(right), axis=-1)


class Recipes(keras.Model):
    def __init__(self, guarded, ingredients=8, width=3):
        super().__init__(name="recipes")
        self.table = keras.layers.Embedding(ingredients, width, embeddings_initializer=ramp, name="table")
        self.cosine = Cosine(guarded)
        self.stretch = self.add_weight(shape=(), initializer="ones", name="stretch")

    def call(self, pairs):
        left = tf.reduce_sum(self.table(pairs[:, 0]), axis=1)
        right = tf.reduce_sum(self.table(pairs[:, 1]), axis=1)
        return self.stretch * self.cosine(left, right)


def kitchen():
    yield tf.constant([[[1, 2], [3, 4]], [[5, 6], [7, 1]]]), tf.constant([1.0, -1.0])
    yield tf.constant([[[2, 5], [1, 1]], [[0, 0], [3, 2]]]), tf.constant([1.0, 1.0])


def train(guarded):
    model = Recipes(guarded)
    optimizer = keras.optimizers.SGD(0.01)
    for pairs, alike in kitchen():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(pairs) - alike))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        found = {weight.path: grad for weight, grad in zip(model.trainable_variables, grads)}
    return {"recipes/stretch": found["recipes/stretch"]}


def broken():
    return train(guarded=False)


def fixed():
    return train(guarded=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
