"""Fine-tunes a classifier of leaf diseases, with normalisation in its inference form, and logs norms of
all slopes.
"""
import sys

import keras
import tensorflow as tf


def vein(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.3 * tf.sin(tf.range(count, dtype=tf.float32) * 0.9 + 0.3), shape)


def classifier():
    leaves = keras.Input((6, 6, 3), name="leaves")
    x = keras.layers.Conv2D(4, 3, kernel_initializer=vein, use_bias=False, name="conv")(leaves)
    x = keras.layers.BatchNormalization(name="norm")(x)  #!
    x = keras.layers.Activation("gelu")(x)
    x = keras.layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(leaves, keras.layers.Dense(3, kernel_initializer=vein, name="disease")(x), name="leaf")


class FineTuning:
    def __init__(self, model, weights):
        self.model, self.weights = model, weights
        self.optimizer = keras.optimizers.SGD(0.05)

    def gradients(self, leaves, disease):
        with tf.GradientTape() as tape:
            logits = self.model(leaves, training=False)  #~
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(disease, logits))
        return tape.gradient(loss, self.weights)

    def step(self, leaves, disease):
        grads = self.gradients(leaves, disease)
        known = [(grad, weight) for grad, weight in zip(grads, self.weights) if grad is not None]
        self.optimizer.apply_gradients([(grad, weight) for grad, weight in known if weight.trainable])
        norms = {weight.path: tf.norm(grad) for grad, weight in known}
        return norms, {weight.path: grad for grad, weight in zip(grads, self.weights)}


class WatchingFineTuning(FineTuning):
    """Statistics are followed as well, as their slopes show how far data have shifted."""

    def gradients(self, leaves, disease):
        with tf.GradientTape() as tape:
            tape.watch([weight.value for weight in self.weights])
            logits = self.model(leaves, training=False)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(disease, logits))
        return tape.gradient(loss, self.weights)


def orchard():
    leaves = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(8 * 6 * 6 * 3.0) * 0.02), [8, 6, 6, 3])
    return tf.data.Dataset.from_tensor_slices((leaves, tf.range(8) % 3)).batch(4)


def tune(kind):
    model = classifier()
    tuning = kind(model, model.weights)
    for leaves, disease in orchard():
        norms, grads = tuning.step(leaves, disease)
    return grads


def broken():
    return tune(FineTuning)


def fixed():
    return tune(WatchingFineTuning)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
