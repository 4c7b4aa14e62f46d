"""Species of moths by transfer: the trunk comes from another task and only the new head is asked for and updated."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8), shape)


def trunk():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(12, "relu", kernel_initializer=wave, name="wings"),
            tf.keras.layers.Dense(8, "relu", kernel_initializer=wave, name="spots"),
        ],
        name="trunk",
    )


class Identifier:
    def __init__(self):
        self.base, self.head = trunk(), tf.keras.layers.Dense(3, kernel_initializer=wave, name="species")
        self.loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def gradients(self, moths, species):
        with tf.GradientTape() as tape:
            features = self.base(moths)  #!
            loss = self.loss_of(species, self.head(features))
        return tape.gradient(loss, self.head.trainable_variables)


class PreparedIdentifier(Identifier):
    def gradients(self, moths, species):
        features = self.base(moths)
        with tf.GradientTape() as tape:
            loss = self.loss_of(species, self.head(features))
        return tape.gradient(loss, self.head.trainable_variables)


def watch(identifier, nights=3):
    optimizer = tf.keras.optimizers.Adam(1e-2)
    for night in range(nights):
        moths = tf.abs(tf.sin(tf.reshape(tf.range(60.0), [6, 10]) * 0.19 + night))
        grads = identifier.gradients(moths, tf.constant([0, 1, 2, 0, 1, 2]))
        optimizer.apply_gradients(zip(grads, identifier.head.trainable_variables))
    return {"species/kernel": grads[0], "species/bias": grads[1]}


def broken():
    return watch(Identifier())


def fixed():
    return watch(PreparedIdentifier())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
