"""Writes limericks letter by letter: the model sees all that was written so far, and the compiled step is called for each letter."""
import sys

import tensorflow as tf


class Writer(tf.Module):
    def __init__(self, letters=6, width=4, longest=None):
        super().__init__(name="writer")
        self.table = tf.Variable(tf.reshape(tf.sin(tf.range(float(letters * width))), [letters, width]), name="table")
        self.mix = tf.Variable(tf.reshape(tf.cos(tf.range(float(width * width))), [width, width]), name="mix")
        self.longest = longest

    @tf.function
    def next_letter(self, written):
        vectors = tf.gather(self.table, written)
        scores = tf.linalg.band_part(tf.matmul(vectors @ self.mix, vectors, transpose_b=True), -1, 0)
        context = tf.reduce_mean(tf.nn.softmax(scores) @ vectors, axis=0)
        return tf.argmax(tf.linalg.matvec(self.table, context), output_type=tf.int32)

    def padded(self, written):
        if self.longest is None:
            return written
        return tf.pad(written, [[0, self.longest - written.shape[0]]])

    def write(self, start, count):
        written = tf.constant(start)
        for _ in range(count):
            letter = self.next_letter(self.padded(written))  #!
            written = tf.concat([written, [letter]], axis=0)
        return written


class Album:
    def __init__(self, writer):
        self.writer, self.verses = writer, []

    def add(self, start, count=4):
        self.verses.append(self.writer.write(start, count))
        return len(self.verses)


def compose(longest=None):
    album = Album(Writer(longest=longest))
    album.add([1, 2])
    album.add([3, 4])
    return {}


def broken():
    return compose()


def fixed():
    return compose(longest=8)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
