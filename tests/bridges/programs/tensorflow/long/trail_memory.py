"""Recognises trails by a bank of remembered prints; each batch writes its encodings to the bank and is compared with it."""
import sys

import tensorflow as tf


class PrintEncoder(tf.Module):
    def __init__(self, width):
        super().__init__(name="encoder")
        wave = tf.sin(tf.range(float(6 * width)) * 0.5)
        self.lift = tf.Variable(0.5 * tf.reshape(wave, [6, width]), name="lift")

    def __call__(self, prints):
        return tf.math.l2_normalize(prints @ self.lift, axis=1)


class Bank:
    """The newest encoding of every animal."""

    def __init__(self, animals, width):
        start = tf.math.l2_normalize(tf.reshape(tf.cos(tf.range(float(animals * width))), [animals, width]), axis=1)
        self.rows = tf.Variable(start, trainable=False, name="rows")

    def remember(self, animals, codes):
        self.rows.scatter_nd_update(animals[:, tf.newaxis], codes)  #!

    def compare(self, codes, sharpness):
        return sharpness * tf.matmul(codes, self.rows, transpose_b=True)


class Tracker(tf.Module):
    def __init__(self, animals=5, width=4):
        super().__init__(name="tracker")
        self.encoder, self.bank = PrintEncoder(width), Bank(animals, width)
        self.sharpness = tf.Variable(3.0, name="sharpness")

    def logits(self, prints, animals):
        self.bank.remember(animals, self.encoder(prints))
        remembered = tf.gather(self.bank.rows, animals)  #~
        return self.bank.compare(remembered, self.sharpness)


class AttentiveTracker(Tracker):
    def logits(self, prints, animals):
        codes = self.encoder(prints)
        self.bank.remember(animals, codes)
        return self.bank.compare(codes, self.sharpness)


def follow(tracker, rate=0.2):
    prints = tf.reshape(tf.sin(tf.range(30.0 * 6) * 0.37), [30, 6])
    animals = tf.range(30) % 5
    sources = {"lift": tracker.encoder.lift, "sharpness": tracker.sharpness}
    for batch in tf.data.Dataset.from_tensor_slices((prints, animals)).batch(10):
        with tf.GradientTape() as tape:
            logits = tracker.logits(*batch)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(batch[1], logits))
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            if grad is not None:
                sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return follow(Tracker())


def fixed():
    return follow(AttentiveTracker())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
