"""Bags of words of spelling contests: each contest is a handful of words out of a long list."""
import sys

import keras
import tensorflow as tf

WORDS, CODE = 3000, 6


def gentle(phase, scale):
    def initial(shape, dtype=None):
        return scale * tf.sin(phase * tf.reshape(tf.range(shape[0] * shape[1], dtype=tf.float32), shape) + phase)
    return initial


class WordCodes(keras.layers.Layer):
    def build(self, shape):
        self.codes = self.add_weight(name="codes", shape=(WORDS, CODE), initializer=gentle(0.37, 0.3))

    def call(self, words):
        marked = tf.one_hot(words, WORDS)  #!
        return tf.reduce_mean(marked @ self.codes, axis=1)  #~


class GatheredCodes(WordCodes):
    def call(self, words):
        return tf.reduce_mean(tf.gather(self.codes, words), axis=1)


class Contest(keras.Model):
    def __init__(self, codes):
        super().__init__(name="contest")
        self.words = codes(name="words")
        self.judge = keras.layers.Dense(3, name="judge", kernel_initializer=gentle(1.1, 0.5))

    def call(self, words):
        return self.judge(self.words(words))


def contests(batch):
    words = [[(row * 131 + place * 577 + batch * 29) % WORDS for place in range(7)] for row in range(16)]
    return tf.constant(words), tf.constant([row % 3 for row in range(16)])


def learn(codes, batches=5):
    model = Contest(codes)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(0.2)
    for batch in range(batches):
        words, level = contests(batch)
        with tf.GradientTape() as tape:
            loss = loss_of(level, model(words))
        weights = model.trainable_variables
        gradients = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(gradients, weights))
    return {weight.path: tf.convert_to_tensor(gradient) for weight, gradient in zip(weights, gradients)}


def broken():
    return learn(WordCodes)


def fixed():
    return learn(GatheredCodes)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
