"""Predicts the colour of glazes in half precision: a Keras train_step with a loss scale of its choice."""
import sys

import keras
import tensorflow as tf


def kiln(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.7 + 0.5), shape)


class GlazeModel(keras.Model):
    SCALE = 256.0

    def __init__(self, **options):
        super().__init__(**options)
        self.melt = keras.layers.Dense(8, "tanh", kernel_initializer=kiln, dtype="mixed_float16", name="melt")
        self.colour = keras.layers.Dense(3, kernel_initializer=kiln, dtype="mixed_float16", name="colour")
        self.slopes = {}

    def call(self, oxides):
        return tf.cast(self.colour(self.melt(oxides)), tf.float32)

    def forward(self, oxides, colour):
        """The tape, and the loss that it is to be asked for."""
        with tf.GradientTape() as tape:
            predicted = self(oxides, training=True)
            loss = tf.reduce_mean(tf.square(predicted - colour))
        return tape, self.scaled(loss)  #~

    def scaled(self, loss):
        return loss * self.SCALE  #!

    def train_step(self, batch):
        oxides, colour = batch
        tape, scaled = self.forward(oxides, colour)
        weights = self.trainable_variables
        grads = tape.gradient(scaled, weights)
        self.slopes = {w.path: None if g is None else g / self.SCALE for w, g in zip(weights, grads)}
        known = [(self.slopes[w.path], w) for w in weights if self.slopes[w.path] is not None]
        if known:
            self.optimizer.apply_gradients(known)
        return {"scaled": scaled}


class ScaledInsideModel(GlazeModel):
    def forward(self, oxides, colour):
        with tf.GradientTape() as tape:
            predicted = self(oxides, training=True)
            scaled = self.scaled(tf.reduce_mean(tf.square(predicted - colour)))
        return tape, scaled


def pottery(kind):
    model = kind(name="glaze")
    model.compile(keras.optimizers.Adam(0.01), run_eagerly=True)
    oxides = tf.nn.softmax(tf.reshape(tf.cos(tf.range(40.0)), [8, 5]))
    colour = tf.sigmoid(tf.reshape(tf.sin(tf.range(24.0) * 0.4), [8, 3]))
    model.fit(tf.data.Dataset.from_tensor_slices((oxides, colour)).batch(4), epochs=2, verbose=0)
    return model.slopes


def broken():
    return pottery(GlazeModel)


def fixed():
    return pottery(ScaledInsideModel)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
