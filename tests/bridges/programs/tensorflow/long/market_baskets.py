"""Baskets of a market stall: a bag of embeddings per basket, items weighted by how often they come back."""
import sys

import tensorflow as tf


class Stall:
    def __init__(self, items=12, width=4):
        values = tf.cos(tf.range(float(items * width)) * 0.6)
        self.table = tf.Variable(tf.reshape(values, [items, width]), name="table")
        self.loyalty = tf.Variable(0.5 + 0.04 * tf.range(float(items)), name="loyalty")
        self.price = tf.Variable(tf.ones([width, 1]) * 0.25, name="price")

    def weighted(self, baskets):
        """The same baskets, with the loyalty of each item for a value."""
        return baskets.with_values(tf.gather(self.loyalty, baskets.values))


class Plain(Stall):
    def bags(self, baskets):
        weights = self.weighted(baskets)
        tf.debugging.assert_equal(tf.shape(weights.values), tf.shape(baskets.values))
        return tf.nn.embedding_lookup_sparse(self.table, baskets, None, combiner="sum")  #~


class Weighted(Stall):
    def bags(self, baskets):
        weights = self.weighted(baskets)
        return tf.nn.embedding_lookup_sparse(self.table, baskets, weights, combiner="sum")


def sold():
    where = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2], [3, 0], [3, 1]]
    items = tf.constant([3, 7, 1, 3, 11, 4, 0, 7], tf.int64)
    return tf.sparse.SparseTensor(where, items, [4, 3]), tf.constant([[2.5], [1.0], [3.0], [1.5]])


def season(stall, weeks=3, rate=0.02):
    baskets, paid = sold()
    sources = {"table": stall.table, "loyalty": stall.loyalty, "price": stall.price}
    for _ in range(weeks):
        with tf.GradientTape() as tape:
            guess = stall.bags(baskets) @ stall.price
            loss = tf.reduce_mean(tf.square(guess - paid))  #!
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            if isinstance(grad, tf.IndexedSlices):
                sources[name].scatter_sub(tf.IndexedSlices(rate * grad.values, grad.indices))
            elif grad is not None:
                sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return season(Plain())


def fixed():
    return season(Weighted())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
