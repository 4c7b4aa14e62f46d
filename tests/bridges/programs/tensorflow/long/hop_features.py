"""Bitterness of hops from two kinds of measurements; features are collected in a dictionary and joined by name."""
import sys

import keras
import tensorflow as tf


def cone(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8 + 0.2), shape)


class Hops(keras.Model):
    def __init__(self, names):
        super().__init__(name="hops")
        self.names = names
        self.oil = keras.layers.Dense(4, "tanh", kernel_initializer=cone, use_bias=False, name="oil")
        self.acid = keras.layers.Dense(4, "tanh", kernel_initializer=cone, use_bias=False, name="acid")
        self.bitter = keras.layers.Dense(1, kernel_initializer=cone, use_bias=False, name="bitter")

    def collect(self, measured):
        features = {}
        for name, layer in zip(self.names, (self.oil, self.acid)):
            features[name] = layer(measured)  #~
        return features

    def call(self, measured):
        features = self.collect(measured)
        joined = tf.concat([features[name] for name in sorted(features)], axis=1)
        return self.bitter(joined)


class Brewer:
    def __init__(self, model):
        self.model, self.optimizer = model, keras.optimizers.Nadam(0.01)

    @tf.function
    def brew(self, measured, bitterness):
        with tf.GradientTape() as tape:
            tasted = self.model(measured, training=True)
            loss = tf.reduce_mean(keras.losses.log_cosh(bitterness, tasted))  #!
        weights = self.model.trainable_variables
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients([(g, v) for g, v in zip(grads, weights) if g is not None])
        return {v.path: g for v, g in zip(weights, grads)}


def season(names):
    model = Hops(names)
    measured = tf.reshape(tf.cos(tf.range(30.0 * 5) * 0.2), [30, 5])
    bitterness = tf.reduce_mean(measured, axis=1, keepdims=True)
    model(measured[:1])
    brewer = Brewer(model)
    brewer.optimizer.build(model.trainable_variables)
    for start in range(0, 30, 10):
        grads = brewer.brew(measured[start : start + 10], bitterness[start : start + 10])
    return grads


def broken():
    return season(("measured", "measured"))


def fixed():
    return season(("oil", "acid"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
