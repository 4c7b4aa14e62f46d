"""Tells lichens apart from photos: batches come of tf.data, a small convolutional model scores each photo."""
import sys

import tensorflow as tf


def bent(shape, dtype=None):
    size = 1
    for part in shape:
        size *= part
    return 0.2 * tf.reshape(tf.sin(tf.range(float(size)) * 0.77), shape)


def make_model():
    return tf.keras.Sequential([
        tf.keras.Input([10, 10, 1]),
        tf.keras.layers.Conv2D(4, 3, activation="relu", kernel_initializer=bent, name="patch"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(3, kernel_initializer=bent, name="species"),
    ], name="lichen")


def photos():
    pixels = 0.5 + 0.5 * tf.sin(tf.reshape(tf.range(3200.0), [32, 10, 10, 1]) * 0.05)
    species = tf.math.floormod(tf.range(32), 3)
    return tf.data.Dataset.from_tensor_slices((pixels, species)).batch(16)


class Herbarium:
    def __init__(self):
        self.model = make_model()
        self.criterion = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.optimizer = tf.keras.optimizers.RMSprop(0.005)

    def logits(self, batch):
        scored = [self.model(photo[tf.newaxis]) for photo in batch]  #!
        return tf.concat(scored, axis=0)

    def train(self, data):
        for batch, species in data:
            with tf.GradientTape() as tape:
                loss = self.criterion(species, self.logits(batch))  #~
            grads = tape.gradient(loss, self.model.trainable_variables)
            self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return {"lichen/patch/kernel": grads[0], "lichen/species/kernel": grads[2]}


class WholeHerbarium(Herbarium):
    def logits(self, batch):
        return self.model(batch)


def broken():
    return Herbarium().train(photos())


def fixed():
    return WholeHerbarium().train(photos())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
