"""Cleans sonar pictures with a small convolutional model; the quality of the result is shown beside the loss."""
import sys

import tensorflow as tf


def gentle(shape, dtype=None):
    size = 1
    for part in shape:
        size *= part
    return 0.3 * tf.reshape(tf.cos(tf.range(float(size)) * 0.53), shape)


class Denoiser(tf.keras.Model):
    def __init__(self):
        super().__init__(name="denoiser")
        self.listen = tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu", kernel_initializer=gentle, name="listen")
        self.paint = tf.keras.layers.Conv2D(1, 3, padding="same", kernel_initializer=gentle, name="paint")

    def call(self, echo):
        return echo + self.paint(self.listen(echo))


def likeness(clean, made):
    mean_a, mean_b = tf.nn.avg_pool2d(clean, 5, 1, "VALID"), tf.nn.avg_pool2d(made, 5, 1, "VALID")  #~
    var_a = tf.nn.avg_pool2d(clean * clean, 5, 1, "VALID") - mean_a**2
    var_b = tf.nn.avg_pool2d(made * made, 5, 1, "VALID") - mean_b**2  #~
    both = tf.nn.avg_pool2d(clean * made, 5, 1, "VALID") - mean_a * mean_b  #~
    return tf.reduce_mean((2 * mean_a * mean_b + 1e-4) * (2 * both + 9e-4) / ((mean_a**2 + mean_b**2 + 1e-4) * (var_a + var_b + 9e-4)))  #~


class Session:
    def __init__(self):
        self.model = Denoiser()
        self.optimizer = tf.keras.optimizers.Adam(0.01)
        self.quality = tf.keras.metrics.Mean()

    def step(self, echo, clean):
        with tf.GradientTape() as tape:
            made = self.model(echo)
            loss = tf.reduce_mean(tf.abs(made - clean))
            self.quality.update_state(likeness(clean, made))  #!
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return grads


class TidySession(Session):
    def step(self, echo, clean):
        with tf.GradientTape() as tape:
            made = self.model(echo)
            loss = tf.reduce_mean(tf.abs(made - clean))
        self.quality.update_state(likeness(clean, made))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return grads


def voyage(session):
    clean = 0.5 + 0.4 * tf.sin(tf.reshape(tf.range(3 * 196.0), [3, 14, 14, 1]) * 0.11)
    for ping in range(3):
        grads = session.step(clean + 0.1 * tf.cos(clean * 90.0 + ping), clean)
    print(f"likeness {float(session.quality.result()):.3f}")
    return {"denoiser/listen/kernel": grads[0], "denoiser/paint/kernel": grads[2]}


def broken():
    return voyage(Session())


def fixed():
    return voyage(TidySession())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
