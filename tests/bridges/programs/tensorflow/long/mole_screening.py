"""Screens moles with a focal loss, which weighs examples down that are already sure."""
import sys

import keras
import tensorflow as tf


def shade(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 1.1 + 0.2), shape)


class FocalLoss(keras.losses.Loss):
    def __init__(self, focus=0.5, smallest=0.0, **options):
        super().__init__(**options)
        self.focus, self.smallest = focus, smallest

    def weight(self, correct):
        return tf.pow(tf.maximum(1.0 - correct, self.smallest), self.focus)  #!

    def call(self, labels, logits):
        labels = tf.cast(labels, tf.float32)
        risk = tf.sigmoid(logits)
        correct = labels * risk + (1.0 - labels) * (1.0 - risk)
        entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
        return tf.reduce_mean(self.weight(correct) * entropy, axis=-1)


class Screening(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.shape_of = keras.layers.Dense(5, "elu", kernel_initializer=shade, name="outline")
        self.risk = keras.layers.Dense(1, kernel_initializer=shade, name="risk")

    def call(self, moles):
        return self.risk(self.shape_of(moles))

    def train_step(self, data):
        moles, labels = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(moles, labels, self(moles, training=True))
        weights = self.trainable_variables
        grads = tape.gradient(loss, weights)
        self.optimizer.apply(grads, weights)
        return {"loss": loss}


def clinic():
    """One image was taken with the lens cap half on, and stands out by far."""
    moles = tf.reshape(tf.cos(tf.range(48.0) * 0.7), [12, 4])
    labels = tf.cast(tf.range(12) % 4 == 3, tf.float32)[:, tf.newaxis]
    odd = tf.where(tf.range(12) == 7, 60.0, 1.0)[:, tf.newaxis]
    return tf.data.Dataset.from_tensor_slices((moles * odd, labels)).batch(4)


def gradients(model, criterion, data):
    with tf.GradientTape() as tape:
        loss = tf.add_n([criterion(labels, model(moles)) for moles, labels in data])
    weights = model.trainable_variables
    return {weight.path: grad for weight, grad in zip(weights, tape.gradient(loss, weights))}


def screen(smallest):
    model, criterion = Screening(name="moles"), FocalLoss(smallest=smallest)
    model.compile(keras.optimizers.SGD(0.001), loss=criterion)
    model.fit(clinic().take(1), epochs=2, verbose=0)
    return gradients(model, criterion, clinic())


def broken():
    return screen(smallest=0.0)


def fixed():
    return screen(smallest=1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
