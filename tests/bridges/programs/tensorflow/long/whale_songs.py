"""Learns to tell whales apart from pairs and triples of songs that go through one encoder."""
import sys

import tensorflow as tf


class SongEncoder(tf.Module):
    def __init__(self, width=6):
        super().__init__(name="songs")
        self.filters = tf.Variable(
            0.4 * tf.reshape(tf.sin(tf.range(8.0 * width)), [8, 1, width]), name="filters"
        )
        self.project = tf.Variable(
            0.4 * tf.reshape(tf.cos(tf.range(4.0 * width)), [width, 4]), name="project"
        )

    def __call__(self, songs):
        x = tf.nn.softplus(tf.nn.conv1d(songs[..., tf.newaxis], self.filters, 2, "SAME"))  #!
        return tf.math.l2_normalize(tf.reduce_mean(x, axis=1) @ self.project, axis=1)


class TripletLoss:
    def __init__(self, encoder, margin=0.2):
        self.encoder, self.margin = encoder, margin

    def distance(self, one, other):
        return tf.reduce_sum(tf.square(self.encoder(one) - self.encoder(other)), axis=1)  #~

    def __call__(self, anchor, same, different):
        near = self.distance(anchor, same)
        far = self.distance(anchor, different)  #~
        return tf.reduce_mean(tf.nn.softplus(near - far + self.margin))


class EncodedTripletLoss(TripletLoss):
    def __call__(self, anchor, same, different):
        anchor, same, different = self.encoder(anchor), self.encoder(same), self.encoder(different)
        near = tf.reduce_sum(tf.square(anchor - same), axis=1)
        far = tf.reduce_sum(tf.square(anchor - different), axis=1)
        return tf.reduce_mean(tf.nn.softplus(near - far + self.margin))


def ocean(count=6, length=16):
    time = tf.reshape(tf.range(float(count * length)), [count, length])
    return tf.sin(time * 0.3), tf.sin(time * 0.3 + 0.1), tf.cos(time * 0.7)


def train(loss_of, steps=3, rate=0.1):
    encoder = SongEncoder()
    criterion = loss_of(encoder)
    sources = {"filters": encoder.filters, "project": encoder.project}
    songs = ocean()
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = criterion(*songs)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return train(TripletLoss)


def fixed():
    return train(EncodedTripletLoss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
