"""Which recordings of thrushes pull the classifier most? The norm of each recording's own gradient ranks them."""
import dataclasses
import sys

import tensorflow as tf


@dataclasses.dataclass
class Recordings:
    features: tf.Tensor
    species: tf.Tensor

    @classmethod
    def spring(cls, count=40, bands=6):
        waves = tf.reshape(tf.sin(tf.range(float(count * bands)) * 0.37), [count, bands])
        return cls(waves, tf.cast(tf.reduce_sum(waves, axis=1) > 0.0, tf.int32))

    def __iter__(self):
        for row in range(len(self.species)):
            yield self.features[row : row + 1], self.species[row : row + 1]


class Classifier(tf.Module):
    def __init__(self, bands=6, hidden=5):
        super().__init__(name="thrush")
        self.inner = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(float(bands * hidden))), [bands, hidden]), name="inner")
        self.outer = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(hidden * 2.0)), [hidden, 2]), name="outer")

    def losses(self, features, species):
        logits = tf.tanh(features @ self.inner) @ self.outer
        return tf.nn.sparse_softmax_cross_entropy_with_logits(species, logits)


def one_by_one(model, recordings):
    weights = model.trainable_variables
    norms = []
    for features, species in recordings:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model.losses(features, species))  #!
        grads = tape.gradient(loss, weights)  #~
        norms.append(tf.linalg.global_norm(grads))
    return tf.stack(norms)


def all_at_once(model, recordings):
    with tf.GradientTape() as tape:
        losses = model.losses(recordings.features, recordings.species)
    rows = tape.jacobian(losses, model.trainable_variables)
    return tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(part), axis=[1, 2]) for part in rows]))


def rank(influence):
    model, recordings = Classifier(), Recordings.spring()
    norms = influence(model, recordings)
    kept = tf.argsort(norms)[:30]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model.losses(tf.gather(recordings.features, kept), tf.gather(recordings.species, kept)))
    inner, outer = tape.gradient(loss, [model.inner, model.outer])
    return {"inner": inner, "outer": outer}


def broken():
    return rank(one_by_one)


def fixed():
    return rank(all_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
