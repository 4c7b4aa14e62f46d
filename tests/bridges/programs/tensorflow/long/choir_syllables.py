"""Syllables of choir texts as ragged rows, scored by a compiled function; each page has other rows."""
import sys

import tensorflow as tf


class Scorer(tf.Module):
    def __init__(self):
        super().__init__(name="scorer")
        self.syllables = tf.Variable(0.2 * tf.reshape(tf.sin(tf.range(60.0)), [20, 3]), name="syllables")
        self.sung = tf.Variable(tf.ones([3, 1]), name="sung")

    def loss(self, pages):
        rows = tf.gather(self.syllables, pages)
        return tf.reduce_mean(tf.square(tf.reduce_sum(rows, axis=1) @ self.sung - 1.0))

    def gradients(self, pages):
        with tf.GradientTape() as tape:
            loss = self.loss(pages)
        table, sung = tape.gradient(loss, [self.syllables, self.sung])
        return tf.convert_to_tensor(table), sung


def pages():
    for lengths in ([2, 3], [1, 4, 2], [3], [2, 2, 1, 5]):
        count = sum(lengths)
        yield tf.RaggedTensor.from_row_lengths((tf.range(count) * 7) % 20, lengths)


def rehearse(scorer, learn):
    for page in pages():
        table, sung = learn(page)  #!
        scorer.sung.assign_sub(0.1 * sung)
    return {"syllables": table, "sung": sung}


def broken():
    scorer = Scorer()
    return rehearse(scorer, tf.function(scorer.gradients))


def fixed():
    scorer = Scorer()
    rows = tf.RaggedTensorSpec([None, None], tf.int32)
    return rehearse(scorer, tf.function(scorer.gradients, input_signature=[rows]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
