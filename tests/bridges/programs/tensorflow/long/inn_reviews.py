"""Reviews of inns: stars are learned as an ordered scale; rounding, counting and argmax are for the reports only."""
import collections

import tensorflow as tf

WORDS = ["clean", "loud", "warm", "damp", "kind", "dear", "near", "old"]


class Report:
    """What the owner sees; nothing here is learned from."""

    def __init__(self):
        self.counts = collections.Counter()
        self.right = 0

    def add(self, stars, given):
        shown = tf.cast(tf.round(stars), tf.int32)
        self.right += int(tf.math.count_nonzero(shown == given))
        self.counts.update(shown.numpy().tolist())


class Scale(tf.Module):
    """Stars from 1 to 5, by a table of words and four thresholds that stay in order."""

    def __init__(self):
        super().__init__(name="scale")
        self.table = tf.Variable(tf.reshape(tf.sin(tf.range(24.0)), [8, 3]), name="table")
        self.taste = tf.Variable([[0.5], [-0.3], [0.8]], name="taste")
        self.gaps = tf.Variable([-1.0, 0.1, 0.1, 0.1], name="gaps")

    def thresholds(self):
        return tf.cumsum(tf.concat([self.gaps[:1], tf.nn.softplus(self.gaps[1:])], axis=0))

    def above(self, words, present):
        rows = tf.nn.embedding_lookup(self.table, words) * present[..., tf.newaxis]
        mean = tf.reduce_sum(rows, axis=1) / tf.reduce_sum(present, axis=1, keepdims=True)
        return mean @ self.taste - self.thresholds()

    def stars(self, words, present):
        return 1.0 + tf.reduce_sum(tf.sigmoid(self.above(words, present)), axis=1)


def reviews():
    lengths = tf.constant([3, 5, 2, 4, 5, 1])
    words = tf.reshape(tf.range(30) * 3 % len(WORDS), [6, 5])
    return words, tf.sequence_mask(lengths, 5, tf.float32), tf.constant([5, 2, 4, 1, 3, 5])


def broken():
    scale, report = Scale(), Report()
    optimizer = tf.keras.optimizers.Adagrad(0.1)
    words, present, given = reviews()
    levels = tf.cast(given[:, tf.newaxis] > tf.range(1, 5), tf.float32)
    for _ in range(5):
        with tf.GradientTape() as tape:
            logits = scale.above(words, present)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(levels, logits))
        variables = [scale.table, scale.taste, scale.gaps]
        grads = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(grads, variables))
        report.add(scale.stars(words, present), given)
    return dict(zip(("table", "taste", "gaps"), grads))


if __name__ == "__main__":
    print(broken())
