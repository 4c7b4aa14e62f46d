"""Classifies ballet steps from joint angles: a trunk, a gate for tempo, and a training step of its own under fit."""
import sys

import keras
import tensorflow as tf


def pose(shape, dtype=None):
    size = 1
    for extent in shape:
        size *= extent
    return 0.4 * tf.reshape(tf.sin(tf.range(float(size)) * 0.9 + 0.2), shape)


class Steps(keras.Model):
    """Angles of twelve joints in, logits of four steps out."""

    def __init__(self, **options):
        super().__init__(**options)
        self.trunk = keras.layers.Dense(10, activation="tanh", kernel_initializer=pose, name="trunk")
        self.tempo = keras.layers.Dense(10, activation="sigmoid", kernel_initializer=pose, name="tempo")
        self.steps = keras.layers.Dense(4, kernel_initializer=pose, name="steps")
        self.last = None

    def features(self, angles):
        features = self.trunk(angles)
        gate = self.tempo(angles)  #~
        return features, gate

    def call(self, angles):
        features, gate = self.features(angles)
        return self.steps(features)  #~

    def train_step(self, data):
        angles, labels = data
        with tf.GradientTape() as tape:
            logits = self(angles, training=True)
            loss = self.compute_loss(x=angles, y=labels, y_pred=logits)  #!
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply([g for g in grads if g is not None], [
            v for g, v in zip(grads, self.trainable_variables) if g is not None
        ])
        self.last = {v.path: g for v, g in zip(self.trainable_variables, grads)}
        return {"loss": loss}


class GatedSteps(Steps):
    def call(self, angles):
        features, gate = self.features(angles)
        return self.steps(features * gate)


def rehearse(model, epochs=2):
    angles = tf.reshape(tf.cos(tf.range(48.0 * 12) * 0.17), [48, 12])
    labels = tf.cast(tf.range(48) % 4, tf.int32)
    model.compile(
        optimizer=keras.optimizers.SGD(0.1),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        run_eagerly=True,
    )
    lessons = tf.data.Dataset.from_tensor_slices((angles, labels)).batch(16)
    model.fit(lessons, epochs=epochs, verbose=0)
    return model.last


def broken():
    return rehearse(Steps(name="ballet"))


def fixed():
    return rehearse(GatedSteps(name="ballet"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
