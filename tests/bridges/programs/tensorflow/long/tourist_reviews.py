"""Rates sights from reviews of any length: ragged words, sparse gradients of a table, and accumulated
steps.
"""
import sys

import tensorflow as tf


class ReviewModel(tf.Module):
    def __init__(self, words=25, width=4):
        super().__init__(name="reviews")
        grid = tf.range(float(words * width))
        self.table = tf.Variable(0.5 * tf.reshape(tf.sin(grid * 0.8), [words, width]), name="table")
        self.weigh = tf.Variable(0.5 * tf.cos(tf.range(float(width))), name="weigh")
        self.stars = tf.Variable(0.4 * tf.sin(tf.range(float(width)) + 1.0)[:, tf.newaxis], name="stars")

    def pool(self, reviews):
        """A softmax over the words of each review; an empty review gives zeros."""
        words = tf.nn.embedding_lookup(self.table, reviews.flat_values)
        rows, count = reviews.value_rowids(), reviews.nrows()
        scores = tf.linalg.matvec(words, self.weigh)
        largest = tf.math.unsorted_segment_max(tf.stop_gradient(scores), rows, count)
        raised = tf.exp(scores - tf.gather(largest, rows))
        total = tf.math.unsorted_segment_sum(raised, rows, count)
        share = raised / tf.gather(total, rows)
        return tf.math.unsorted_segment_sum(words * share[:, tf.newaxis], rows, count)

    def __call__(self, reviews):
        return tf.squeeze(self.pool(reviews) @ self.stars, axis=1)


class Accumulator:
    """Adds gradients up and steps after every few batches."""

    def __init__(self, variables, every=2, rate=0.1):
        self.variables, self.every, self.rate, self.seen = variables, every, rate, 0
        self.sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def add(self, grads):
        for total, grad in zip(self.sums, grads):
            if isinstance(grad, tf.IndexedSlices):
                total.scatter_add(grad)
            else:
                total.assign_add(grad)
        self.seen += 1
        if self.seen % self.every == 0:
            for variable, total in zip(self.variables, self.sums):
                variable.assign_sub(self.rate * total / self.every)
                total.assign(tf.zeros_like(total))


def reviews_of(number):
    words = [[(3 * k + number + j) % 25 for j in range((k + number) % 4)] for k in range(5)]
    return tf.ragged.constant(words, dtype=tf.int32), tf.linspace(1.0, 5.0, 5)


def broken():
    model = ReviewModel()
    sources = [model.table, model.weigh, model.stars]
    accumulator = Accumulator(sources)
    for number in range(4):
        reviews, stars = reviews_of(number)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(reviews) - stars))
        grads = tape.gradient(loss, sources)
        accumulator.add(grads)
    return {"table": tf.convert_to_tensor(grads[0]), "weigh": grads[1], "stars": grads[2]}


if __name__ == "__main__":
    print(broken())
