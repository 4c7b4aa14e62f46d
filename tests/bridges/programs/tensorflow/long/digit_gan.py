"""A tiny GAN: generator and discriminator with a tape each."""
import sys

import tensorflow as tf


class Generator:
    def __init__(self):
        start = 0.3 * tf.sin(tf.range(15.0))
        self.kernel = tf.Variable(tf.reshape(start, [3, 5]), name="generator_kernel")
        self.bias = tf.Variable(tf.zeros([5]) + 0.1, name="generator_bias")

    def __call__(self, noise):
        return tf.tanh(tf.matmul(noise, self.kernel) + self.bias)


class Discriminator:
    def __init__(self):
        start = 0.5 * tf.cos(tf.range(5.0))
        self.kernel = tf.Variable(tf.reshape(start, [5, 1]), name="discriminator_kernel")

    def __call__(self, images):
        return tf.matmul(images, self.kernel)


def cross_entropy(logits, real):
    labels = tf.ones_like(logits) if real else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, logits))


class Trainer:
    def __init__(self):
        self.generator, self.discriminator = Generator(), Discriminator()
        self.noise = tf.reshape(tf.cos(tf.range(12.0)), [4, 3])
        self.images = tf.reshape(tf.sin(tf.range(20.0) / 4.0), [4, 5])

    def step(self):
        with tf.GradientTape(persistent=True) as discriminator_tape:
            fake = self.generator(self.noise)  #!
            with tf.GradientTape() as generator_tape:
                judged = self.discriminator(fake)
                generator_loss = cross_entropy(judged, real=True)
            real = cross_entropy(self.discriminator(self.images), real=True)
            discriminator_loss = real + cross_entropy(judged, real=False)
        return self.answers(discriminator_tape, discriminator_loss, generator_tape, generator_loss)

    def answers(self, discriminator_tape, discriminator_loss, generator_tape, generator_loss):
        g = generator_tape.gradient(generator_loss, [self.generator.kernel, self.generator.bias])  #~
        d = discriminator_tape.gradient(discriminator_loss, self.discriminator.kernel)
        return {"generator_kernel": g[0], "generator_bias": g[1], "discriminator_kernel": d}


class RepairedTrainer(Trainer):
    def step(self):
        with tf.GradientTape() as discriminator_tape, tf.GradientTape() as generator_tape:
            judged = self.discriminator(self.generator(self.noise))
            generator_loss = cross_entropy(judged, real=True)
            real = cross_entropy(self.discriminator(self.images), real=True)
            discriminator_loss = real + cross_entropy(judged, real=False)
        return self.answers(discriminator_tape, discriminator_loss, generator_tape, generator_loss)


def broken():
    return Trainer().step()


def fixed():
    return RepairedTrainer().step()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
