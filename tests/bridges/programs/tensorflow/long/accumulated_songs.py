"""Gradient accumulation over batches for a recommender of songs with a long table of vectors."""
import sys

import tensorflow as tf


class Recommender:
    def __init__(self, songs=3000, width=8):
        grid = tf.range(float(songs * width))
        self.songs = tf.Variable(tf.reshape(tf.sin(grid * 0.01), [songs, width]), name="songs")
        self.taste = tf.Variable(tf.ones([width]) * 0.2, name="taste")

    def loss(self, played, liked):
        scores = tf.linalg.matvec(tf.gather(self.songs, played), self.taste)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(liked, scores))


class Accumulator:
    """The sum of the gradients of some batches, as one update."""

    def __init__(self, sparse):
        self.sparse, self.parts, self.total = sparse, [], None

    def add(self, grad):
        if self.sparse:
            self.parts.append(grad)
        else:
            whole = tf.convert_to_tensor(grad)  #!
            self.total = whole if self.total is None else self.total + whole  #~

    def apply(self, variable, rate):
        if not self.sparse:
            variable.assign_sub(rate * self.total)  #~
        for grad in self.parts:
            variable.scatter_sub(tf.IndexedSlices(rate * grad.values, grad.indices))


def train(sparse, rounds=2):
    model = Recommender()
    for turn in range(rounds):
        accumulator, by_taste = Accumulator(sparse), tf.zeros([8])
        for batch in range(3):
            played = (tf.range(16) * 37 + batch * 11 + turn) % 3000
            liked = tf.cast(played % 2, tf.float32)
            with tf.GradientTape() as tape:
                loss = model.loss(played, liked)
            grads = tape.gradient(loss, {"songs": model.songs, "taste": model.taste})
            accumulator.add(grads["songs"])
            by_taste += grads["taste"]
        accumulator.apply(model.songs, 0.1)
        model.taste.assign_sub(0.1 * by_taste)
    return {"taste": by_taste}


def broken():
    return train(sparse=False)


def fixed():
    return train(sparse=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
