"""Removes noise from old scans; every step also computes figures that the log shows."""
import sys

import tensorflow as tf


class Denoiser(tf.Module):
    def __init__(self):
        super().__init__(name="denoiser")
        wave = tf.sin(tf.range(9.0 * 4) * 0.8)
        self.spread = tf.Variable(0.3 * tf.reshape(wave, [3, 3, 1, 4]), name="spread")
        self.gather = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(36.0)), [3, 3, 4, 1]), name="gather")

    def __call__(self, scans):
        return scans + tf.nn.conv2d(
            tf.tanh(tf.nn.conv2d(scans, self.spread, 1, "SAME")), self.gather, 1, "SAME"
        )


def figures(cleaned, originals):
    """Signal to noise, sharpness and the share of pixels that are right to a grey level."""
    error = tf.reduce_mean(tf.square(cleaned - originals), axis=[1, 2, 3])  #!
    noise = -10.0 * tf.math.log(error + 1e-9) / tf.math.log(10.0)
    rows, columns = tf.image.image_gradients(cleaned)
    sharpness = tf.reduce_mean(tf.sqrt(tf.square(rows) + tf.square(columns) + 1e-9))
    right = tf.reduce_mean(tf.exp(-tf.abs(cleaned - originals) * 255.0))
    return {"noise": tf.reduce_mean(noise), "sharpness": sharpness, "right": right}


class Training:
    def __init__(self, rate=0.05):
        self.model, self.rate, self.log = Denoiser(), rate, []

    def forward(self, scans, originals):
        with tf.GradientTape() as tape:
            cleaned = self.model(scans)
            loss = tf.reduce_mean(tf.abs(cleaned - originals))
            shown = figures(cleaned, originals)  #~
        return tape, loss, shown

    def step(self, scans, originals):
        sources = {"spread": self.model.spread, "gather": self.model.gather}
        tape, loss, shown = self.forward(scans, originals)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(self.rate * grads[name])
        self.log.append(shown)
        return grads


class SlimTraining(Training):
    def forward(self, scans, originals):
        with tf.GradientTape() as tape:
            cleaned = self.model(scans)
            loss = tf.reduce_mean(tf.abs(cleaned - originals))
        return tape, loss, figures(cleaned, originals)


def archive(training, steps=4):
    originals = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(4 * 16 * 16.0) * 0.05), [4, 16, 16, 1])
    scans = originals + 0.1 * tf.reshape(tf.cos(tf.range(4 * 16 * 16.0) * 2.3), [4, 16, 16, 1])
    for _ in range(steps):
        grads = training.step(scans, originals)
    return grads


def broken():
    return archive(Training())


def fixed():
    return archive(SlimTraining())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
