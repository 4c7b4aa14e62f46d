"""Matrix factorisation of library loans; readers and books have embeddings."""
import sys

import tensorflow as tf


class Factorisation:
    def __init__(self, readers, books, size):
        reader_start = 0.3 * tf.sin(tf.range(float(readers * size)))
        book_start = 0.3 * tf.cos(tf.range(float(books * size)))
        self.parameters = {
            "readers": tf.Variable(tf.reshape(reader_start, [readers, size]), name="readers"),
            "books": tf.Variable(tf.reshape(book_start, [books, size]), name="books"),
            "shelf": tf.Variable([[0.1], [0.2], [-0.1], [0.3]], name="shelf"),
        }

    def predict(self, reader_ids, book_ids):
        reader = tf.nn.embedding_lookup(self.parameters["readers"], reader_ids)
        book = tf.nn.embedding_lookup(self.parameters["books"], book_ids)
        shelf = tf.gather(self.parameters["shelf"], book_ids % 4)
        return tf.reduce_sum(reader * book, axis=1) + shelf[:, 0]


def loans():
    reader_ids = tf.constant([0, 1, 2, 3, 0, 2])
    book_ids = tf.constant([4, 1, 5, 0, 2, 3])
    return reader_ids, book_ids, tf.constant([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])


def training_step(model, popularity):
    reader_ids, book_ids, lent = loans()
    with tf.GradientTape() as tape:
        known = tf.cast(tf.gather(popularity, book_ids), tf.float32)  #~
        logits = model.predict(reader_ids, book_ids) + 0.1 * known
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(lent, logits))
        loss += 1e-3 * tf.reduce_sum(tf.square(model.parameters["shelf"]))
    sources = {**model.parameters, "popularity": popularity}
    return tape.gradient(loss, sources)


def gradients(counts):
    model = Factorisation(readers=4, books=6, size=3)
    popularity = tf.Variable(counts, name="popularity")  #!
    return training_step(model, popularity)


def broken():
    return gradients([3, 1, 4, 1, 5, 9])


def fixed():
    return gradients([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
