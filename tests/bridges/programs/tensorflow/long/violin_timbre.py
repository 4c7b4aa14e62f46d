"""Models the timbre of violins with a Keras layer whose kernel is divided by its largest singular value."""
import sys

import keras
import tensorflow as tf


def partials(shape, dtype=None):
    return 0.5 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 1.1), shape)


class SpectralDense(keras.layers.Layer):
    """A dense layer of Lipschitz constant 1; the singular value comes from power iteration."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units), initializer=partials, name="kernel")
        self.scaled = self.add_weight(
            shape=(shape[-1], self.units), initializer="zeros", trainable=False, name="scaled"
        )
        self.left = self.add_weight(shape=(1, shape[-1]), initializer="ones", trainable=False, name="left")

    def singular_value(self):
        right = tf.math.l2_normalize(tf.stop_gradient(self.left @ self.kernel))
        left = tf.math.l2_normalize(tf.stop_gradient(tf.matmul(right, self.kernel, transpose_b=True)))
        self.left.assign(left)
        return tf.squeeze(left @ self.kernel @ tf.transpose(right))

    def effective_kernel(self):
        self.scaled.assign(self.kernel / self.singular_value())  #!
        return self.scaled

    def call(self, spectra):
        return tf.matmul(spectra, self.effective_kernel())  #~


class DirectSpectralDense(SpectralDense):
    def effective_kernel(self):
        return self.kernel / self.singular_value()


class Timbre(keras.Model):
    def __init__(self, layer, **options):
        super().__init__(**options)
        self.body = layer(6, name="body")
        self.bridge = layer(4, name="bridge")
        self.maker = keras.layers.Dense(1, kernel_initializer=partials, name="maker")

    def call(self, spectra):
        x = tf.nn.elu(self.body(spectra))
        return self.maker(tf.nn.elu(self.bridge(x)))

    def train_step(self, batch):
        spectra, age = batch
        with tf.GradientTape() as tape:
            loss = self.compute_loss(spectra, age, self(spectra, training=True))
        weights = self.trainable_variables
        self.slopes = dict(zip([weight.path for weight in weights], tape.gradient(loss, weights)))
        self.optimizer.apply_gradients((g, w) for g, w in zip(self.slopes.values(), weights) if g is not None)
        return {"loss": loss}


def workshop(layer):
    model = Timbre(layer, name="timbre")
    model.compile(keras.optimizers.SGD(0.02), loss="mse", run_eagerly=True)
    spectra = tf.reshape(tf.sin(tf.range(64.0) * 0.37), [8, 8])
    age = tf.reduce_mean(tf.square(spectra), axis=1, keepdims=True)
    model.fit(spectra, age, batch_size=4, epochs=2, shuffle=False, verbose=0)
    return model.slopes


def broken():
    return workshop(SpectralDense)


def fixed():
    return workshop(DirectSpectralDense)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
