"""A small variational autoencoder: encoder, reparameterised sample, decoder, evidence lower bound."""
import sys

import numpy as np
import tensorflow as tf


def weights(rows, columns, phase, name):
    values = tf.sin(tf.range(float(rows * columns)) + phase)
    return tf.Variable(0.4 * tf.reshape(values, [rows, columns]), name=name)


class Encoder:
    def __init__(self):
        self.mean = weights(6, 2, 0.0, "encoder_mean")
        self.log_variance = weights(6, 2, 1.0, "encoder_log_variance")

    def __call__(self, images):
        return tf.matmul(images, self.mean), tf.matmul(images, self.log_variance)


class Decoder:
    def __init__(self):
        self.kernel = weights(2, 6, 2.0, "decoder_kernel")

    def __call__(self, code):
        return tf.sigmoid(tf.matmul(code, self.kernel))


class VAE:
    def __init__(self):
        self.encoder, self.decoder = Encoder(), Decoder()

    def noise(self, shape):
        return np.cos(np.arange(np.prod(shape), dtype=np.float32)).reshape(shape)

    def sample(self, mean, log_variance):
        spread = np.exp(0.5 * log_variance.numpy())  #!
        return mean + spread * self.noise(mean.shape)  #~

    def reconstruction(self, images):
        mean, log_variance = self.encoder(images)
        decoded = self.decoder(self.sample(mean, log_variance))
        return tf.reduce_mean(tf.square(decoded - images))


class SamplingVAE(VAE):
    def sample(self, mean, log_variance):
        return mean + tf.exp(0.5 * log_variance) * self.noise(mean.shape)


def gradients(model):
    images = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(24.0)), [4, 6])
    sources = {"encoder_mean": model.encoder.mean, "encoder_log_variance": model.encoder.log_variance,
               "decoder_kernel": model.decoder.kernel}
    with tf.GradientTape() as tape:
        loss = model.reconstruction(images)
    return tape.gradient(loss, sources)


def broken():
    return gradients(VAE())


def fixed():
    return gradients(SamplingVAE())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
