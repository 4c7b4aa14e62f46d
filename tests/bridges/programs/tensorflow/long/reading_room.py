"""Loans of a library: embeddings of books are fetched while the batch is put together, and a scorer ranks them."""
import sys

import tensorflow as tf


class Catalogue:
    def __init__(self):
        self.books = tf.keras.layers.Embedding(9, 4, name="books")
        self.readers = tf.keras.layers.Embedding(5, 4, name="readers")
        for layer, rate in ((self.books, 0.3), (self.readers, 0.8)):
            layer.build([None])
            table = tf.reshape(tf.sin(tf.range(float(layer.input_dim * 4)) * rate), [layer.input_dim, 4])
            layer.embeddings.assign(table)

    def loans(self, months):
        for month in range(months):
            ids = tf.range(6)
            yield (ids * 2 + month) % 9, (ids + month) % 5, tf.cast(ids % 2, tf.float32)


def fetched(catalogue, books):
    return catalogue.books(books)  #!


def likely(features, readers, catalogue):
    return tf.reduce_sum(features * catalogue.readers(readers), axis=1)


def early(catalogue, books, readers, lent):
    features = fetched(catalogue, books)  #~
    with tf.GradientTape() as tape:
        logits = likely(features, readers, catalogue)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=lent, logits=logits))
    return tape, loss


def late(catalogue, books, readers, lent):
    with tf.GradientTape() as tape:
        logits = likely(fetched(catalogue, books), readers, catalogue)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=lent, logits=logits))
    return tape, loss


def lend(forward, months=3):
    catalogue = Catalogue()
    tables = {"books/embeddings": catalogue.books.embeddings, "readers/embeddings": catalogue.readers.embeddings}
    for books, readers, lent in catalogue.loans(months):
        tape, loss = forward(catalogue, books, readers, lent)
        grads = tape.gradient(loss, list(tables.values()))
        for table, grad in zip(tables.values(), grads):
            if grad is not None:
                table.assign_sub(0.1 * tf.convert_to_tensor(grad))
    return dict(zip(tables, grads))


def broken():
    return lend(early)


def fixed():
    return lend(late)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
