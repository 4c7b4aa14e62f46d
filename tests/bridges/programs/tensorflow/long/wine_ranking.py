"""Ranks wines from pairs of tastings: the score of the better wine has to be above the other one's."""
import sys

import keras
import tensorflow as tf


def cork(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.9 + 0.4), shape)


class Scorer(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.taste = keras.layers.Dense(6, "elu", kernel_initializer=cork, name="taste")
        self.score = keras.layers.Dense(1, kernel_initializer=cork, name="score")

    def call(self, wines):
        return tf.squeeze(self.score(self.taste(wines)), axis=-1)


class PairLoss:
    def __init__(self, anchor=0.0):
        self.anchor = anchor

    def margin(self, better, worse):
        return better - worse  #!

    def __call__(self, better, worse):
        loss = tf.reduce_mean(tf.nn.softplus(-self.margin(better, worse)))
        if self.anchor:
            loss += self.anchor * tf.reduce_mean(tf.square(better + worse - 1.0))
        return loss


class Tasting:
    def __init__(self, criterion):
        self.scorer, self.criterion = Scorer(name="scorer"), criterion
        self.optimizer = keras.optimizers.RMSprop(0.01)

    def pairs(self):
        wines = tf.reshape(tf.cos(tf.range(80.0) * 0.6), [16, 5])
        price = tf.reduce_sum(wines, axis=1)
        order = tf.argsort(price, direction="DESCENDING")
        wines = tf.gather(wines, order)
        return tf.data.Dataset.from_tensor_slices((wines[:8], wines[8:])).batch(4)

    def train(self, epochs=2):
        for _ in range(epochs):
            for better, worse in self.pairs():
                with tf.GradientTape() as tape:
                    loss = self.criterion(self.scorer(better), self.scorer(worse))
                weights = self.scorer.trainable_variables
                grads = tape.gradient(loss, weights)
                self.optimizer.apply_gradients(zip(grads, weights))
        return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return Tasting(PairLoss()).train()


def fixed():
    return Tasting(PairLoss(anchor=0.1)).train()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
