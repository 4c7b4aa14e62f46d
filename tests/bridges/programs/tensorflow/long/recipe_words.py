"""Rates recipes from their words: a large Keras embedding, an averaged text and a penalty on large
weights.
"""
import sys

import keras
import tensorflow as tf


def flavour(shape, dtype=None):
    return 0.1 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.01), shape)


class RecipeModel(keras.Model):
    def __init__(self, words=3000, width=8, **options):
        super().__init__(**options)
        self.words = keras.layers.Embedding(words, width, embeddings_initializer=flavour, name="words")
        self.mix = keras.layers.Dense(6, "gelu", kernel_initializer=flavour, name="mix")
        self.rating = keras.layers.Dense(1, kernel_initializer=flavour, name="rating")

    def call(self, recipes):
        vectors = self.words(recipes)
        return self.rating(self.mix(tf.reduce_mean(vectors, axis=1))), vectors


class Penalty:
    def __init__(self, strength=1e-4):
        self.strength = strength

    def of_words(self, model, vectors):
        return tf.nn.l2_loss(model.words.embeddings)  #!

    def __call__(self, model, vectors):
        dense = tf.nn.l2_loss(model.mix.kernel) + tf.nn.l2_loss(model.rating.kernel)
        return self.strength * (dense + self.of_words(model, vectors))


class SeenWordsPenalty(Penalty):
    def of_words(self, model, vectors):
        return tf.nn.l2_loss(vectors)


def cookbook():
    recipes = tf.reshape(tf.range(60) * 37 % 2999, [12, 5])
    stars = tf.cast(1 + tf.range(12) % 5, tf.float32)[:, tf.newaxis]
    return tf.data.Dataset.from_tensor_slices((recipes, stars)).batch(4)


def train(penalty):
    model = RecipeModel(name="recipes")
    for recipes, stars in cookbook():
        with tf.GradientTape() as tape:
            rated, vectors = model(recipes)
            loss = tf.reduce_mean(tf.square(rated - stars)) + penalty(model, vectors)
        weights = model.trainable_variables
        grads = tape.gradient(loss, weights)
        for weight, grad in zip(weights[1:], grads[1:]):
            weight.assign(weight - 0.01 * grad)
    found = {weight.path: grad for weight, grad in zip(weights, grads)}
    return {name: found[name] for name in ("recipes/mix/bias", "recipes/rating/bias")}


def broken():
    return train(Penalty())


def fixed():
    return train(SeenWordsPenalty())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
