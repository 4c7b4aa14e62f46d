"""Reconstructs amphorae from few x-rays by learned shrinkage: iterations of a thresholded descent with one learned threshold a kind."""
import sys

import tensorflow as tf

RAYS, PIXELS, ROUNDS = 18, 30, 64


class Reconstruction(tf.Module):
    def __init__(self, rolled):
        super().__init__(name="reconstruction")
        place = tf.range(float(RAYS))[:, None] * 0.37 + tf.range(float(PIXELS))[None, :] * 0.91
        self.rays = tf.cos(place) / RAYS**0.5
        self.rate = tf.Variable(0.1, name="rate")
        self.threshold = tf.Variable(tf.fill([PIXELS], 0.02), name="threshold")
        self.rolled = rolled

    def shrink(self, image):
        return tf.sign(image) * tf.nn.softplus(20.0 * (tf.abs(image) - self.threshold)) / 20.0

    def iterate(self, image, measured):
        misfit = tf.matmul(image, self.rays, transpose_b=True) - measured
        return self.shrink(image - self.rate * tf.matmul(misfit, self.rays))

    def __call__(self, measured):
        image = tf.matmul(measured, self.rays)
        if self.rolled:
            for _ in tf.range(ROUNDS):
                image = self.iterate(image, measured)
        else:
            for _ in range(ROUNDS):  #~
                image = self.iterate(image, measured)  #!
        return image


class Trainer:
    def __init__(self, model):
        self.model = model

    @tf.function
    def step(self, measured, truth):  #~
        with tf.GradientTape() as tape:
            image = self.model(measured)  #~
            loss = tf.reduce_mean(tf.square(image - truth))
        grads = tape.gradient(loss, [self.model.rate, self.model.threshold])
        self.model.rate.assign_sub(1e-3 * grads[0])
        self.model.threshold.assign_sub(1e-3 * grads[1])
        return loss, grads


def reconstruct(rolled):
    model = Reconstruction(rolled)
    truth = tf.nn.relu(tf.reshape(tf.sin(tf.range(6.0 * PIXELS) * 0.77), [6, PIXELS]) - 0.6)
    measured = tf.matmul(truth, model.rays, transpose_b=True)
    trainer = Trainer(model)
    for _ in range(3):
        loss, grads = trainer.step(measured, truth)  #~
    return dict(zip(["rate", "threshold"], grads))


def broken():
    return reconstruct(rolled=False)


def fixed():
    return reconstruct(rolled=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
