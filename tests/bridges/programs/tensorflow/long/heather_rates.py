"""Heather species from leaf spectra: the pretrained filter is held still, two optimizers share the rest."""

import keras
import tensorflow as tf


def spectrum(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.7 + 0.1), shape)


class Heather(keras.Model):
    """The filter comes from another project and stays as it is; the body moves slowly, the head fast."""

    def __init__(self):
        super().__init__(name="heather")
        self.filter = keras.layers.Dense(8, "tanh", kernel_initializer=spectrum, name="filter", trainable=False)
        self.body = keras.layers.Dense(8, "tanh", kernel_initializer=spectrum, name="body")
        self.head = keras.layers.Dense(3, kernel_initializer=spectrum, name="head")
        self.rates = {"body": keras.optimizers.SGD(0.01), "head": keras.optimizers.SGD(0.2)}
        self.accuracy = keras.metrics.SparseCategoricalAccuracy(name="accuracy")
        self.kept = {}

    def call(self, leaves):
        return self.head(self.body(self.filter(leaves)))

    def train_step(self, data):
        leaves, species = data
        with tf.GradientTape(persistent=True) as tape:
            logits = self(leaves, training=True)
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(species, logits, from_logits=True))
        for name, optimizer in self.rates.items():
            part = getattr(self, name)
            grads = tape.gradient(loss, part.trainable_variables)
            optimizer.apply(grads, part.trainable_variables)
            self.kept[f"heather/{name}/kernel"].assign(grads[0])
        del tape
        self.accuracy.update_state(species, logits)
        return {"loss": loss, "accuracy": self.accuracy.result()}

    def build(self, shape):
        super().build(shape)
        self.kept = {
            name: tf.Variable(tf.zeros(size), trainable=False) for name, size in [("heather/body/kernel", [8, 8]), ("heather/head/kernel", [8, 3])]
        }


def broken():
    leaves = tf.reshape(tf.cos(tf.range(36.0 * 6) * 0.21), [36, 6])
    species = tf.range(36) % 3
    model = Heather()
    model.build((None, 6))
    model.compile()
    model.fit(leaves, species, batch_size=12, epochs=3, verbose=0, shuffle=False)
    return {name: tf.convert_to_tensor(kept) for name, kept in model.kept.items()}


if __name__ == "__main__":
    print(broken())
