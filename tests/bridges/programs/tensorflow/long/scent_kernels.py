"""Scents are told apart by radial units; the centres are placed on data that was never scaled."""
import sys

import tensorflow as tf


def spread(shape, dtype=None):
    return tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1]))), shape)


class Radial(tf.keras.layers.Layer):
    def __init__(self, units, reach, name):
        super().__init__(name=name)
        self.units, self.reach = units, reach

    def build(self, shape):
        self.centres = self.add_weight(shape=(self.units, shape[-1]), name="centres", initializer=spread)

    def call(self, scents):
        away = tf.reduce_sum(tf.square(scents[:, None, :] - self.centres), axis=-1)
        return tf.exp(-away / self.reach)  #!


class Nose(tf.keras.Model):
    def __init__(self, reach):
        super().__init__(name="nose")
        self.radial = Radial(4, reach, "radial")
        self.label = tf.keras.layers.Dense(2, kernel_initializer=spread, name="label")

    def call(self, scents):
        near = self.radial(scents)
        return self.label(near)


def smell(scale, reach):
    scents = scale * tf.reshape(1.5 + tf.sin(tf.range(18.0)), [6, 3])
    kinds = tf.constant([0, 1, 0, 1, 1, 1])
    nose = Nose(reach)
    nose(scents[:1])
    weights = [nose.radial.centres, nose.label.bias]
    optimizer = tf.keras.optimizers.Adam(0.01)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(kinds, nose(scents), from_logits=True))
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"nose/radial/centres": grads[0], "nose/label/bias": grads[1]}


def broken():
    return smell(scale=40.0, reach=1.0)


def fixed():
    return smell(scale=1.0, reach=2.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
