"""Depth of lakes by a Keras model with a loss of its own, which standardizes each batch; one batch is from a single lake."""
import sys

import keras
import tensorflow as tf


class RelativeError(keras.losses.Loss):
    def __init__(self, floor, name="relative"):
        super().__init__(name=name)
        self.floor = floor

    def call(self, depth, guess):
        spread = tf.math.reduce_std(depth) + self.floor
        return tf.reduce_mean(tf.square((depth - guess) / spread), axis=-1)  #!


class Depth(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        init = keras.initializers.Constant(0.3)
        self.shore = keras.layers.Dense(3, "tanh", kernel_initializer=init, name="shore")
        self.deep = keras.layers.Dense(1, kernel_initializer=init, name="deep")

    def call(self, x):
        return self.deep(self.shore(x))


def lakes():
    features = tf.reshape(tf.sin(tf.range(24.0)), [8, 3])
    depth = tf.concat([tf.fill([4, 1], 2.5), 1.0 + tf.reshape(tf.range(4.0), [4, 1])], axis=0)
    return tf.data.Dataset.from_tensor_slices((features, depth)).batch(4)


def fit(floor):
    model = Depth(name="lake")
    model.compile(keras.optimizers.SGD(0.01), RelativeError(floor), run_eagerly=True)
    kept = {}

    def remember(grads, weights=None):
        kept.update({weight.path: grad for weight, grad in zip(model.trainable_variables, grads)})
        return original(grads, weights)

    original, model.optimizer.apply = model.optimizer.apply, remember
    model.fit(lakes(), epochs=1, verbose=0)
    return kept


def broken():
    return fit(0.0)


def fixed():
    return fit(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
