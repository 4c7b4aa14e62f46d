"""Tree species by soil words: an embedding with a penalty for large rows, trained on a few rows at a time."""
import sys

import tensorflow as tf

WORDS, WIDTH = 6000, 8


def all_rows(table, used):
    return tf.reduce_sum(tf.square(table))  #!


def used_rows(table, used):
    return tf.reduce_sum(tf.square(tf.gather(table, tf.unique(used)[0])))


class SoilModel(tf.Module):
    def __init__(self, penalty):
        super().__init__(name="soil")
        corner = tf.reshape(tf.sin(tf.range(WORDS * WIDTH * 1.0)), [WORDS, WIDTH])
        self.soil_words = tf.Variable(corner * 0.1, name="soil_words")
        self.species = tf.Variable(0.2 * tf.reshape(tf.cos(tf.range(WIDTH * 3.0)), [WIDTH, 3]), name="species")
        self.penalty = penalty

    def loss(self, notes, kinds):
        found = tf.reduce_mean(tf.nn.embedding_lookup(self.soil_words, notes), axis=1)
        logits = tf.matmul(found, self.species)
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=kinds, logits=logits)
        flat = tf.reshape(notes, [-1])
        return tf.reduce_mean(entropy) + 1e-4 * self.penalty(self.soil_words, flat)


def notes(plot):
    return tf.reshape((tf.range(20) * 37 + plot * 11) % 500, [4, 5]), tf.constant([0, 2, 1, 2])


def walk(penalty, plots=3):
    model = SoilModel(penalty)
    optimizer = tf.keras.optimizers.Adagrad(0.05)
    for plot in range(plots):
        with tf.GradientTape() as tape:
            loss = model.loss(*notes(plot))
        grads = tape.gradient(loss, [model.soil_words, model.species])
        optimizer.apply_gradients(zip(grads, [model.soil_words, model.species]))
    return {"species": grads[1]}


def broken():
    return walk(all_rows)


def fixed():
    return walk(used_rows)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
