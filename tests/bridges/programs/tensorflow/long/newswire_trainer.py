"""Trains a topic model on newswire texts, each batch padded to its own longest text."""
import sys

import tensorflow as tf


class TopicModel(tf.Module):
    def __init__(self):
        super().__init__(name="topics")
        self.table = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(40.0)), [10, 4]), name="table")
        self.head = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(8.0)), [4, 2]), name="head")

    def __call__(self, words):
        vectors = tf.gather(self.table, words)
        return tf.matmul(tf.reduce_mean(vectors, axis=1), self.head)


class Wire:
    """Texts of different lengths, padded batch by batch."""

    def __init__(self, width):
        lengths = (3, 5, 4, 5, 2, 6)
        self.texts = [[(k + j) % 9 + 1 for j in range(length)] for k, length in enumerate(lengths)]
        self.width = width

    def batches(self):
        for k in range(0, len(self.texts), 2):
            pair = self.texts[k:k + 2]
            width = self.width or max(len(text) for text in pair)
            rows = [text + [0] * (width - len(text)) for text in pair]
            yield tf.constant(rows), tf.constant([0, 1])


class Trainer:
    def __init__(self, rate=0.1):
        self.model = TopicModel()
        self.rate = rate

    @tf.function
    def train_step(self, words, topics):
        sources = [self.model.table, self.model.head]
        with tf.GradientTape() as tape:
            logits = self.model(words)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(topics, logits))
        grads = [tf.convert_to_tensor(grad) for grad in tape.gradient(loss, sources)]
        for variable, grad in zip(sources, grads):
            variable.assign_sub(self.rate * grad)
        return grads

    def epoch(self, wire):
        for words, topics in wire.batches():
            grads = self.train_step(words, topics)  #!
        return dict(zip(["table", "head"], grads))


def broken():
    trainer = Trainer()
    trainer.epoch(Wire(width=None))
    return trainer.epoch(Wire(width=None))


def fixed():
    trainer = Trainer()
    trainer.epoch(Wire(width=6))
    return trainer.epoch(Wire(width=6))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
