"""Learns the calls of owls; every fourth night the labels come from a file, by way of NumPy."""
import sys

import numpy as np
import tensorflow as tf


class Detector(tf.Module):
    def __init__(self):
        super().__init__(name="detector")
        self.call = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(15.0)), [5, 3]), name="call")
        self.species = tf.Variable(tf.zeros([3]), name="species")

    @tf.function
    def gradients(self, sound, owls):
        with tf.GradientTape() as tape:
            logits = sound @ self.call + self.species
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(owls, logits))
        return tape.gradient(loss, [self.call, self.species])


class Labels:
    def __init__(self, kind):
        self.kind = kind

    def __call__(self, night):
        if night % 4 == 3:
            return np.array([(bird + night) % 3 for bird in range(4)], dtype=self.kind)
        return (tf.range(4) + night) % 3


def listen(labels, nights=8):
    detector = Detector()
    for night in range(nights):
        sound = tf.reshape(tf.cos(tf.range(20.0) * 0.3 + night), [4, 5])
        call, species = detector.gradients(sound, labels(night))  #!
        detector.species.assign_sub(0.1 * species)
    return {"call": call, "species": species}


def broken():
    return listen(Labels(None))


def fixed():
    return listen(Labels(np.int32))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
