"""Paths of ferrets in tunnels: fit() of a model with a hinge on pairs; all pairs are told apart already."""
import sys

import tensorflow as tf


class Pairs(tf.keras.Model):
    def __init__(self, margin):
        super().__init__(name="pairs")
        self.margin = margin
        self.embed = tf.keras.layers.Dense(3, kernel_initializer="ones", name="embed")
        self.lift = self.add_weight(name="lift", shape=(), initializer="ones")
        self.kept = None

    def distances(self, left, right):
        return tf.reduce_sum(tf.abs(self.embed(left) - self.embed(right)), 1)

    def train_step(self, data):
        left, right = data
        with tf.GradientTape() as tape:
            apart = self.distances(left, right)
            loss = tf.reduce_mean(tf.nn.relu(self.margin - apart))  #!
            loss += 0.1 * tf.square(self.lift)
        weights = [self.embed.kernel, self.lift]
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients(zip(grads, weights))
        self.kept.assign(grads[0])
        self.lifted.assign(grads[1])
        return {"loss": loss}


def follow(margin):
    model = Pairs(margin)
    left = tf.reshape(tf.range(24.0), [8, 3])
    model.distances(left, left)
    model.kept = tf.Variable(tf.zeros([3, 3]), trainable=False, name="kept")
    model.lifted = tf.Variable(0.0, trainable=False, name="lifted")
    model.compile(optimizer=tf.keras.optimizers.SGD(0.01))
    model.fit(tf.data.Dataset.from_tensor_slices((left, left + 2.0)).batch(4), epochs=2, verbose=0)
    return {"embed/kernel": model.kept.read_value(), "pairs/lift": model.lifted.read_value()}


def broken():
    return follow(1.0)


def fixed():
    return follow(100.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
