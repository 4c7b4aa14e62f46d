"""Dosage by weight: a gentle curve for the light, an exponential one for the heavy, chosen per patient."""
import sys

import tensorflow as tf


class Dosage(tf.keras.layers.Layer):
    def __init__(self, guarded, **kwargs):
        super().__init__(**kwargs)
        self.guarded = guarded

    def build(self, shape):
        self.steep = self.add_weight(name="steep", shape=(), initializer=tf.keras.initializers.Constant(1.5))
        self.gentle = self.add_weight(name="gentle", shape=(), initializer=tf.keras.initializers.Constant(0.4))

    def call(self, weights):
        heavy = weights > 3.0
        light = tf.where(heavy, 3.0, weights) if self.guarded else weights
        grown = tf.exp(self.steep * light)  #!
        return tf.where(heavy, self.gentle * weights, grown)


class Ward:
    def __init__(self, guarded):
        self.dosage = Dosage(guarded, name="dosage")
        self.dosage.build([None])
        self.optimizer = tf.keras.optimizers.SGD(1e-4)

    @tf.function
    def adjust(self, weights, given):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.math.log1p(tf.square(self.dosage(weights) - given)))
        grads = tape.gradient(loss, self.dosage.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.dosage.trainable_variables))
        return grads


def treat(guarded):
    ward = Ward(guarded)
    for heaviest in (2.5, 90.0):
        weights = tf.stack([1.0, 1.5, 2.0, heaviest])
        steep, gentle = ward.adjust(weights, tf.ones([4]))
    return {"dosage/steep": steep}


def broken():
    return treat(guarded=False)


def fixed():
    return treat(guarded=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
