"""Nets of fish in a lagoon as ragged rows; an empty net has no mean."""
import sys

import tensorflow as tf


class Lagoon(tf.Module):
    def __init__(self):
        super().__init__(name="lagoon")
        self.weights = tf.Variable(tf.linspace(0.5, 1.5, 6), name="weights")
        self.bias = tf.Variable(0.1, name="bias")

    def of_nets(self, kinds):
        masses = tf.ragged.map_flat_values(lambda flat: tf.gather(self.weights, flat), kinds)
        return tf.reduce_sum(masses, axis=1), tf.cast(kinds.row_lengths(), tf.float32)


def worth(lagoon, kinds, guarded):
    total, count = lagoon.of_nets(kinds)
    mean = tf.math.divide_no_nan(total, count) if guarded else total / count  #!
    return tf.nn.sigmoid(mean + lagoon.bias)


def fish(guarded, nights=3):
    lagoon = Lagoon()
    optimizer = tf.keras.optimizers.Adam(0.01)
    nets = [[[0, 1], [2], [3, 4, 5]], [[5, 5], [1, 0], [2]], [[3], [], [4, 1]]]
    for night in range(nights):
        kinds = tf.ragged.constant(nets[night], dtype=tf.int32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(worth(lagoon, kinds, guarded) - 0.5))
        weights, bias = tape.gradient(loss, [lagoon.weights, lagoon.bias])
        weights = tf.convert_to_tensor(weights)
        if night < nights - 1:
            optimizer.apply_gradients([(weights, lagoon.weights), (bias, lagoon.bias)])
    return {"weights": weights, "bias": bias}


def broken():
    return fish(False)


def fixed():
    return fish(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
