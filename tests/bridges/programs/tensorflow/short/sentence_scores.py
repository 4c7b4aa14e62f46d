"""Scores sentences of different lengths with one compiled function."""
import sys

import tensorflow as tf

sentences = [[0.1, 0.4, 0.2], [0.3, 0.9], [0.5, 0.1, 0.7, 0.2], [0.6, 0.2, 0.8]]


def score_all(step, weight):
    grads = [step(tf.constant(words), weight) for words in sentences]  #!
    return {"weight": tf.add_n(grads)}


def body(words, weight):
    with tf.GradientTape() as tape:
        tape.watch(weight)
        loss = tf.reduce_mean(tf.square(weight * words - 0.5))
    return tape.gradient(loss, weight)


def broken():
    @tf.function
    def step(words, weight):
        return body(words, weight)

    return score_all(step, tf.constant(0.8))


def fixed():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([])])
    def step(words, weight):
        return body(words, weight)

    return score_all(step, tf.constant(0.8))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
