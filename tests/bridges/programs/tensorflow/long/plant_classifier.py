"""A Keras classifier of plants whose normalisation has a learned temperature."""
import sys

import keras
import tensorflow as tf


class Temperature(keras.layers.Layer):
    """Divides logits by a temperature."""

    def __init__(self, learned, **options):
        super().__init__(**options)
        self.learned = learned

    def build(self, shape):
        self.value = self.add_weight(shape=(), initializer="ones", trainable=self.learned, name="value")  #!

    def call(self, logits):
        return logits / self.value  #~


def ramp(step):
    def initial(shape, dtype=None):
        count = 1
        for size in shape:
            count *= size
        return tf.reshape(tf.sin(step * tf.range(float(count))), shape)

    return initial


class PlantModel(keras.Model):
    def __init__(self, learned):
        super().__init__(name="plants")
        self.leaf = keras.layers.Dense(5, activation="tanh", kernel_initializer=ramp(0.7), name="leaf")
        self.species = keras.layers.Dense(3, kernel_initializer=ramp(1.1), name="species")
        self.temperature = Temperature(learned, name="temperature")

    def call(self, inputs):
        return self.temperature(self.species(self.leaf(inputs)))


def gradients(learned):
    leaves = tf.reshape(tf.cos(tf.range(32.0)), [8, 4])
    species = tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
    model = PlantModel(learned)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model(leaves)
    with tf.GradientTape() as tape:
        loss = loss_of(species, model(leaves, training=True))
    weights = {"leaf_kernel": model.leaf.kernel, "temperature_value": model.temperature.value}
    grads = tape.gradient(loss, list(weights.values()))
    return {"plants/leaf/kernel": grads[0], "plants/temperature/value": grads[1]}


def broken():
    return gradients(learned=False)


def fixed():
    return gradients(learned=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
