"""Recognises words whatever the accent: a gradient reversal whose strength is learned with the rest."""
import sys

import tensorflow as tf


@tf.custom_gradient
def reverse(features, strength):
    def grad(upstream):
        return -strength * upstream, None  #!

    return tf.identity(features), grad


@tf.custom_gradient
def reverse_both(features, strength):
    def grad(upstream):
        return -strength * upstream, -tf.reduce_sum(upstream * features)

    return tf.identity(features), grad


class Recogniser(tf.Module):
    def __init__(self, reversal, name=None):
        super().__init__(name=name)
        self.reversal = reversal
        self.listen = tf.Variable(tf.reshape(tf.sin(tf.range(20.0)), [5, 4]), name="listen")
        self.word = tf.Variable(tf.reshape(tf.cos(tf.range(12.0)), [4, 3]), name="word")
        self.accent = tf.Variable(tf.reshape(tf.sin(tf.range(8.0) * 2.0), [4, 2]), name="accent")
        self.strength = tf.Variable(0.7, name="strength")

    def features(self, sound):
        return tf.nn.softplus(sound @ self.listen)

    def losses(self, sound, words, accents):
        features = self.features(sound)
        said = tf.nn.sparse_softmax_cross_entropy_with_logits(words, features @ self.word)
        reversed_features = self.reversal(features, self.strength)  #~
        spoken = tf.nn.sparse_softmax_cross_entropy_with_logits(accents, reversed_features @ self.accent)
        return tf.reduce_mean(said), tf.reduce_mean(spoken)


class Trainer:
    def __init__(self, model, rate=0.05):
        self.model, self.rate = model, rate

    def step(self, batch):
        with tf.GradientTape() as tape:
            said, spoken = self.model.losses(*batch)
            total = said + 0.3 * spoken
        variables = self.model.trainable_variables
        grads = tape.gradient(total, variables)
        for variable, grad in zip(variables, grads):
            if grad is not None:
                variable.assign_sub(self.rate * grad)
        return {variable.name.split(":")[0]: grad for variable, grad in zip(variables, grads)}


def train(reversal):
    sounds = tf.reshape(tf.sin(tf.range(40.0) * 0.3), [8, 5])
    words, accents = tf.range(8) % 3, tf.range(8) % 2
    data = tf.data.Dataset.from_tensor_slices((sounds, words, accents)).batch(4)
    trainer = Trainer(Recogniser(reversal))
    for batch in data:
        grads = trainer.step(batch)
    return grads


def broken():
    return train(reverse)


def fixed():
    return train(reverse_both)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
