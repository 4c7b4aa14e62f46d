"""Bells are told apart by their sound: an embedding with a triplet margin, started from an earlier season's weights."""
import sys

import keras
import tensorflow as tf


class Embedding(keras.Model):
    def __init__(self, scale, **options):
        super().__init__(**options)
        self.project = keras.layers.Dense(
            2, use_bias=False, name="project", kernel_initializer=lambda shape, dtype=None: scale * tf.eye(*shape)
        )

    def call(self, sound):
        return self.project(sound)


class TripletMargin:
    def __init__(self, margin):
        self.margin = margin

    def __call__(self, anchor, same, other):
        near = tf.reduce_sum(tf.square(anchor - same), axis=1)
        far = tf.reduce_sum(tf.square(anchor - other), axis=1)
        return tf.reduce_mean(tf.maximum(near - far + self.margin, 0.0))  #!


def bells():
    anchor = tf.reshape(tf.sin(tf.range(12.0)), [4, 3])
    return anchor, anchor + 0.01, anchor + tf.constant([1.0, -1.0, 0.0])


def train(scale, margin, epochs=2):
    model = Embedding(scale, name="bells")
    loss_of = TripletMargin(margin)
    for _ in range(epochs):
        with tf.GradientTape() as tape:
            loss = loss_of(*map(model, bells()))
        grads = tape.gradient(loss, model.trainable_variables)
        model.project.kernel.assign_sub(0.01 * grads[0])
    return {"bells/project/kernel": grads[0]}


def broken():
    return train(scale=5.0, margin=1.0)


def fixed():
    return train(scale=5.0, margin=100.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
