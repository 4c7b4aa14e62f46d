"""Insects in amber, in mixed precision: a compiled loss with a temperature, the tape around the model."""
import sys

import tensorflow as tf


def model_of(units):
    policy = tf.keras.mixed_precision.Policy("mixed_float16")
    start = tf.keras.initializers.Constant(0.5)
    return tf.keras.Sequential([
        tf.keras.Input([4]),
        tf.keras.layers.Dense(units, "relu", kernel_initializer=start, dtype=policy, name="shape"),
        tf.keras.layers.Dense(2, kernel_initializer=start, dtype=policy, name="kind"),
    ], name="amber")


class Contrast:
    def __init__(self, temperature, wide):
        self.temperature, self.wide = temperature, wide

    @tf.function
    def __call__(self, kinds, labels):
        if self.wide:
            kinds = tf.cast(kinds, tf.float32)
        heat = tf.exp(kinds / tf.cast(self.temperature, kinds.dtype))  #!
        likely = heat / tf.reduce_sum(heat, 1, keepdims=True)
        picked = tf.gather(likely, labels, batch_dims=1)
        return -tf.reduce_mean(tf.math.log(tf.cast(picked, tf.float32) + 1e-6))


def study(wide, rounds=3):
    model, contrast = model_of(3), Contrast(0.5, wide)
    optimizer = tf.keras.optimizers.SGD(0.001)
    weights = model.trainable_variables
    for number in range(rounds):
        pieces = tf.reshape(tf.sin(tf.range(16.0) + number), [4, 4]) + (0.2 if number < 2 else 2.2)
        with tf.GradientTape() as tape:
            loss = contrast(model(pieces), tf.constant([0, 1, 1, 0]))
        grads = tape.gradient(loss, weights)
        if number < rounds - 1:
            optimizer.apply_gradients(zip(grads, weights))
    return {"amber/shape/kernel": grads[0], "amber/kind/kernel": grads[2]}


def broken():
    return study(False)


def fixed():
    return study(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
