"""Reads street scenes with three heads on one body: depth, direction of surfaces, and classes of pixels."""
import sys

import keras
import tensorflow as tf


def scene_filter(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.3 * tf.sin(tf.range(count, dtype=tf.float32) * 0.7 + 0.3), shape)


def conv(filters, name, activation=None):
    return keras.layers.Conv2D(
        filters, 3, padding="same", activation=activation, kernel_initializer=scene_filter, name=name
    )


def scene_model():
    frames = keras.Input((6, 6, 3), name="frames")
    x = conv(6, "body", "swish")(frames)
    x = keras.layers.BatchNormalization(name="norm")(x)
    outputs = {"depth": conv(1, "depth")(x), "normal": conv(3, "normal")(x), "classes": conv(4, "classes")(x)}
    return keras.Model(frames, outputs, name="scenes")


class TaskLosses:
    """One function per head, and the heads that count in an epoch."""

    def __init__(self, plan):
        self.plan = plan

    def depth(self, predicted, truth):
        return tf.reduce_mean(tf.abs(predicted - truth))

    def normal(self, predicted, truth):
        return 1.0 - tf.reduce_mean(tf.reduce_sum(tf.math.l2_normalize(predicted, -1) * truth, -1))

    def classes(self, predicted, truth):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(truth, predicted))

    def all(self, predicted, truth):
        return {name: getattr(self, name)(predicted[name], truth[name]) for name in predicted}

    def total(self, losses):
        return tf.add_n([losses[name] for name in self.plan])  #!


def streets():
    frames = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(4 * 6 * 6 * 3.0) * 0.03), [4, 6, 6, 3])
    truth = {
        "depth": tf.reduce_mean(frames, axis=-1, keepdims=True),
        "normal": tf.math.l2_normalize(frames - 0.4, axis=-1),
        "classes": tf.cast(3.9 * frames[..., 0], tf.int32),
    }
    return tf.data.Dataset.from_tensor_slices((frames, truth)).batch(2)


def train(plan):
    model, losses_of = scene_model(), TaskLosses(plan)
    weights = model.trainable_variables

    @tf.function
    def step(frames, truth):
        with tf.GradientTape() as tape:
            losses = losses_of.all(model(frames, training=True), truth)
            total = losses_of.total(losses)
        grads = tape.gradient(total, weights)
        for weight, grad in zip(weights, grads):
            if grad is not None:
                weight.assign(weight - 0.05 * grad)
        return losses, grads

    for frames, truth in streets():
        losses, grads = step(frames, truth)
    return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return train(plan=("depth", "normal"))


def fixed():
    return train(plan=("depth", "normal", "classes"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
