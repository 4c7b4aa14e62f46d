"""Scores letters of correspondents: each letter has as many words as it has, batches come as ragged tensors."""
import sys

import tensorflow as tf

WIDTH = 4


class Scorer(tf.Module):
    def __init__(self, words=9):
        super().__init__(name="scorer")
        self.table = tf.Variable(tf.reshape(tf.sin(tf.range(float(words * WIDTH))), [words, WIDTH]), name="table")
        self.tone = tf.Variable(tf.ones([WIDTH]) * 0.3, name="tone")

    def __call__(self, letters):
        vectors = tf.gather(self.table, letters)
        return tf.linalg.matvec(tf.reduce_mean(vectors, axis=1), self.tone)


def mailbag():
    letters = [[1, 2, 3], [4, 5], [6], [7, 8, 0, 1], [2, 2], [3, 4, 5, 6, 7], [8, 1], [1]]
    kind = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]
    for first, last in ((0, 3), (3, 5), (5, 8), (0, 2)):
        yield tf.ragged.constant(letters[first:last]), tf.constant(kind[first:last])


def optimiser_step(scorer, rate=0.05):
    def step(letters, kind):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(kind, scorer(letters)))
        by_table, by_tone = tape.gradient(loss, [scorer.table, scorer.tone])
        scorer.table.scatter_sub(tf.IndexedSlices(rate * by_table.values, by_table.indices))
        scorer.tone.assign_sub(rate * by_tone)
        return loss

    return step


def train(signature=None):
    step = tf.function(optimiser_step(Scorer()), input_signature=signature)
    losses = [step(letters, kind) for letters, kind in mailbag()]  #!
    return {} if len(losses) == 4 else None


def broken():
    return train()


def fixed():
    return train([tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.float32)])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
