"""Recommends tools to members of a lending library: two embeddings, regularised the way the tutorial does."""
import sys

import tensorflow as tf

MEMBERS, TOOLS, WIDTH = 4000, 300, 8


class Lending(tf.keras.Model):
    def __init__(self, regularizer):
        super().__init__(name="lending")
        start = tf.keras.initializers.Constant(0.1)
        self.members = tf.keras.layers.Embedding(  #~
            MEMBERS, WIDTH, embeddings_initializer=start, embeddings_regularizer=regularizer, name="members")  #~
        self.tools = tf.keras.layers.Embedding(TOOLS, WIDTH, embeddings_initializer=start, name="tools")
        self.fancy = tf.keras.layers.Dense(1, kernel_initializer="ones", name="fancy")

    def call(self, pair):
        return self.fancy(self.members(pair[:, 0]) * self.tools(pair[:, 1]))[:, 0]


class PenalisedLending(Lending):
    def __init__(self):
        super().__init__(tf.keras.regularizers.L2(1e-4))

    def penalty(self, pair):
        return tf.add_n(self.losses)  #!


class RowLending(Lending):
    def __init__(self):
        super().__init__(None)

    def penalty(self, pair):
        return 1e-4 * tf.reduce_sum(tf.square(self.members(pair[:, 0])))


def loans(month):
    numbers = tf.range(32)
    pair = tf.stack([(numbers * 97 + month * 13) % MEMBERS, (numbers * 31) % TOOLS], axis=1)
    return pair, tf.cast(numbers % 2, tf.float32)


def lend(model, months=3):
    optimizer = tf.keras.optimizers.SGD(0.1)
    for month in range(months):
        pair, wanted = loans(month)
        with tf.GradientTape() as tape:
            scores = model(pair)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(wanted, scores))
            loss += model.penalty(pair)  #~
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {"lending/fancy/bias": grads[-1]}


def broken():
    return lend(PenalisedLending())


def fixed():
    return lend(RowLending())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
