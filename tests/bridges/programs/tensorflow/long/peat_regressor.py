"""Water in peat from its weight; a Keras model with a train_step of its own is fitted to data in grams."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return -0.5 + 0.2 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.9), shape)


class Peat(tf.keras.Model):
    def __init__(self, unit):
        super().__init__(name="peat")
        self.unit = unit
        self.soak = tf.keras.layers.Dense(6, kernel_initializer=wave, name="soak")
        self.act = tf.keras.layers.Activation("relu")
        self.water = tf.keras.layers.Dense(1, kernel_initializer="ones", bias_initializer="ones", name="water")
        self.kept = {}

    def call(self, grams):
        return self.water(self.act(self.soak(grams / self.unit)))  #!

    def train_step(self, batch):
        grams, water = batch
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(grams, training=True) - water))
        weights = self.trainable_variables
        grads = tape.gradient(loss, weights)
        for weight, grad in zip(weights, grads):
            self.kept[weight.path].assign(grad)
        self.optimizer.apply_gradients(zip(grads, weights))
        return {"loss": loss}


class SignedPeat(Peat):
    def call(self, grams):
        return self.water(tf.nn.leaky_relu(self.soak(grams / self.unit)))


def bog(kind):
    model = kind(100.0)
    model(tf.zeros([1, 3]))
    model.kept = {weight.path: tf.Variable(tf.zeros(weight.shape), trainable=False) for weight in model.weights}
    model.compile(tf.keras.optimizers.SGD(0.01))
    grams = 300.0 + 100.0 * tf.sin(tf.reshape(tf.range(36.0), [12, 3]))
    data = tf.data.Dataset.from_tensor_slices((grams, grams[:, :1] / 400.0)).batch(4)
    model.fit(data, epochs=2, verbose=0)
    return {name: tf.identity(model.kept[name]) for name in ("peat/soak/kernel", "peat/soak/bias", "peat/water/bias")}


def broken():
    return bog(Peat)


def fixed():
    return bog(SignedPeat)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
