"""Voices of a choir are weighed by attention over bars; bars that are padding are masked out."""
import sys

import tensorflow as tf


class Score:
    """Bars of unequal songs, padded at the end."""

    def __init__(self, lengths, bars=5):
        self.lengths = tf.constant(lengths)
        self.notes = tf.reshape(tf.sin(tf.range(float(len(lengths) * bars * 2))), [len(lengths), bars, 2])
        self.bars = bars

    def mask(self, from_lengths):
        if from_lengths:
            return tf.sequence_mask(self.lengths, self.bars, tf.float32)
        return tf.cast(tf.range(self.bars) >= self.bars, tf.float32)[None]


class Choir(tf.Module):
    def __init__(self):
        super().__init__()
        self.voice = tf.Variable([[0.4], [-0.6]], name="voice")
        self.tone = tf.Variable(0.2, name="tone")

    def __call__(self, notes, mask):
        loud = tf.squeeze(notes @ self.voice, axis=-1)
        return tf.reduce_sum(loud * mask, axis=1) + self.tone  #!


def rehearse(from_lengths):
    score, choir = Score([3, 5, 2]), Choir()
    with tf.GradientTape() as tape:
        sound = choir(score.notes, score.mask(from_lengths))
        loss = tf.reduce_mean(tf.square(sound - 1.0))
    return dict(zip(("voice", "tone"), tape.gradient(loss, [choir.voice, choir.tone])))


def broken():
    return rehearse(from_lengths=False)


def fixed():
    return rehearse(from_lengths=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
