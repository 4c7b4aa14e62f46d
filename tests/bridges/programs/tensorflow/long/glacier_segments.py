"""Ice, snow and rock are told apart in satellite tiles; shares and a table of confusions are kept for the report."""
import sys

import keras
import tensorflow as tf

KINDS = 3


def frozen(phase, scale=0.3):
    def initial(shape, dtype=None):
        count = 1
        for size in shape:
            count *= size
        return scale * tf.reshape(tf.sin(1.9 * tf.range(count, dtype=tf.float32) + phase), shape)
    return initial


class Segmenter(keras.Model):
    def __init__(self):
        super().__init__(name="segmenter")
        self.look = keras.layers.Conv2D(6, 3, padding="same", activation="relu", kernel_initializer=frozen(0.4), name="look")
        self.decide = keras.layers.Conv2D(KINDS, 1, kernel_initializer=frozen(1.2), name="decide")

    def call(self, tiles):
        return self.decide(self.look(tiles))


class Report:
    def __init__(self):
        self.tables, self.sure = [], []

    def note(self, logits, truth):
        shares = tf.nn.softmax(logits)  #!
        unsure = -tf.reduce_sum(shares * tf.math.log(shares + 1e-6), axis=-1)  #~
        self.sure.append(tf.reduce_mean(tf.exp(-unsure)))  #~
        picked = tf.one_hot(tf.argmax(shares, axis=-1), KINDS)
        self.tables.append(tf.einsum("bijk,bijl->kl", picked, tf.one_hot(truth, KINDS)))


def tiles_of(day):
    tiles = tf.reshape(tf.sin(0.21 * tf.range(2 * 64 * 2, dtype=tf.float32) + day), [2, 8, 8, 2])
    return tiles, tf.cast(tf.argmax(tf.concat([tiles, 0.3 * tf.ones([2, 8, 8, 1])], axis=-1), axis=-1), tf.int32)


def season(inside, days=4):
    model, report = Segmenter(), Report()
    optimizer = keras.optimizers.Adam(0.01)
    for day in range(days):
        tiles, truth = tiles_of(float(day))
        with tf.GradientTape() as tape:
            logits = model(tiles)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(truth, logits))
            if inside:
                report.note(logits, truth)  #~
        gradients = tape.gradient(loss, model.trainable_variables)
        if not inside:
            report.note(logits, truth)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return {w.path: g for w, g in zip(model.trainable_variables, gradients) if w.name == "kernel"}


def broken():
    return season(inside=True)


def fixed():
    return season(inside=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
