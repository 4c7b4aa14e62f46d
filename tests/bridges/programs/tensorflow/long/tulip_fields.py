"""Counts tulips in pictures of fields by a small Keras model; loss and accuracy come of the same step."""
import sys

import tensorflow as tf


def build():
    wave = tf.keras.initializers.Constant(tf.sin(tf.range(3.0 * 3 * 3 * 6)).numpy().reshape(3, 3, 3, 6) * 0.3)
    inputs = tf.keras.Input([12, 12, 3], name="field")
    x = tf.keras.layers.Conv2D(6, 3, activation="tanh", kernel_initializer=wave, name="petal")(inputs)
    x = tf.keras.layers.GlobalAveragePooling2D(name="pool")(x)
    outputs = tf.keras.layers.Dense(2, kernel_initializer="ones", name="count")(x)
    return tf.keras.Model(inputs, outputs, name="tulips")


class FieldTrainer:
    def __init__(self):
        self.model = build()
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.optimizer = tf.keras.optimizers.SGD(0.1)

    def evaluate(self, fields, labels):
        loss = self.loss(labels, self.model(fields))
        hits = tf.equal(tf.argmax(self.model(fields), axis=1), labels)  #!
        return loss, tf.reduce_mean(tf.cast(hits, tf.float32))

    def step(self, fields, labels):
        with tf.GradientTape() as tape:
            loss, accuracy = self.evaluate(fields, labels)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return dict(zip(("petal/kernel", "count/kernel"), (grads[0], grads[2]))), accuracy


class FrugalTrainer(FieldTrainer):
    def evaluate(self, fields, labels):
        logits = self.model(fields)
        hits = tf.equal(tf.argmax(logits, axis=1), labels)
        return self.loss(labels, logits), tf.reduce_mean(tf.cast(hits, tf.float32))


def season(trainer, weeks=3):
    fields = tf.reshape(tf.cos(tf.range(6.0 * 432) * 0.013), [6, 12, 12, 3])
    labels = tf.constant([0, 1, 0, 1, 1, 0], tf.int64)
    for week in range(weeks):
        grads, accuracy = trainer.step(fields, labels)
        print(f"week {week}: {float(accuracy):.2f}")
    return grads


def broken():
    return season(FieldTrainer())


def fixed():
    return season(FrugalTrainer())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
