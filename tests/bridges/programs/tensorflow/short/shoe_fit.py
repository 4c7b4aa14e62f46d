"""Collects the parameters of a fitting model by their prefix."""
import sys

import tensorflow as tf

lengths = tf.constant([24.5, 26.0, 27.5])


class Fit(tf.Module):
    def __init__(self):
        super().__init__(name="fit")
        self.scale = tf.Variable(1.5, name="scale")
        self.shift = tf.Variable(2.0, name="shift")

    def __call__(self, length):
        return self.scale * length + self.shift


def gradients(prefix):
    fit = Fit()
    chosen = [v for v in fit.trainable_variables if v.name.startswith(prefix)]  #~
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(fit(lengths) - 41.0))
    grads = tape.gradient(loss, chosen)  #!
    return {v.name.split(":")[0]: g for v, g in zip(chosen, grads)}


def broken():
    return gradients("fit/")


def fixed():
    return gradients("s")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
