"""Compresses pulse waves with a Keras autoencoder that has its own train_step, for its loss has two parts."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 1.3), shape)


class Pulse(tf.keras.Model):
    kept = {"persistent": True}

    def __init__(self):
        super().__init__(name="pulse")
        self.squeeze = tf.keras.layers.Dense(3, "tanh", kernel_initializer=wave, name="squeeze")
        self.expand = tf.keras.layers.Dense(10, kernel_initializer=wave, name="expand")
        self.slopes = {}

    def call(self, waves):
        return self.expand(self.squeeze(waves))

    def train_step(self, waves):
        with tf.GradientTape(**self.kept) as tape:  #!
            code = self.squeeze(waves)
            likeness = tf.reduce_mean(tf.square(self.expand(code) - waves))
            sparse = 0.01 * tf.reduce_mean(tf.abs(code))
            loss = likeness + sparse
        grads = tape.gradient(loss, self.trainable_variables)
        self.slopes = {variable.path: grad for variable, grad in zip(self.trainable_variables, grads)}
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"likeness": likeness, "sparse": sparse}


class LightPulse(Pulse):
    kept = {}


def clinic(kind):
    model = kind()
    model.compile(tf.keras.optimizers.Adam(0.01), run_eagerly=True)
    waves = tf.sin(tf.reshape(tf.range(160.0), [16, 10]) * 0.31)
    model.fit(waves, batch_size=4, epochs=2, shuffle=False, verbose=0)
    return model.slopes


def broken():
    return clinic(Pulse)


def fixed():
    return clinic(LightPulse)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
