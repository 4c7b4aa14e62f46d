"""Names of plants on scanned sheets; the memory holds a quarter of a batch, so gradients of four are added before an update."""
import sys

import keras
import tensorflow as tf

SHEETS, FACTS, NAMES, PART = 96, 12, 5, 8


def leaf(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.49), shape)


class Accumulator:
    def __init__(self, variables, every):
        self.variables, self.every, self.count = variables, every, 0
        self.sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def add(self, grads):
        for total, grad in zip(self.sums, grads):
            total.assign_add(grad / self.every)
        self.count += 1
        return self.count % self.every == 0

    def take(self):
        taken = [total.value() + 0.0 for total in self.sums]
        for total in self.sums:
            total.assign(tf.zeros_like(total))
        return taken


def sheets():
    facts = tf.reshape(tf.sin(tf.range(float(SHEETS * FACTS)) * 0.17), [SHEETS, FACTS])
    return tf.data.Dataset.from_tensor_slices((facts, tf.range(SHEETS) * 3 % NAMES)).batch(PART, drop_remainder=True)


def herbarium():
    model = keras.Sequential(
        [
            keras.Input((FACTS,)),
            keras.layers.Dense(16, "gelu", kernel_initializer=leaf, name="veins"),
            keras.layers.Dense(NAMES, kernel_initializer=leaf, name="names"),
        ],
        name="herbarium",
    )
    optimizer = keras.optimizers.AdamW(1e-3)
    measure = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    accumulator = Accumulator(model.trainable_variables, every=4)

    @tf.function
    def gradients(facts, names):
        with tf.GradientTape() as tape:
            loss = measure(names, model(facts, training=True))
        return loss, tape.gradient(loss, model.trainable_variables)

    for facts, names in sheets():
        loss, grads = gradients(facts, names)
        if accumulator.add(grads):
            taken = accumulator.take()
            optimizer.apply_gradients(zip(taken, model.trainable_variables))
    return {w.path: g for w, g in zip(model.trainable_variables, grads)}


def broken():
    return herbarium()


if __name__ == "__main__":
    print(broken())
