"""Faces for carnival masks: an autoencoder that also draws a large preview in each step, for the wall of the workshop."""
import sys

import tensorflow as tf


class Masks(tf.Module):
    def __init__(self):
        super().__init__(name="masks")
        grid = tf.range(64.0)
        self.down = tf.Variable(0.2 * tf.reshape(tf.sin(grid), [16, 4]), name="down")
        self.up = tf.Variable(0.2 * tf.reshape(tf.cos(grid), [4, 16]), name="up")

    def code(self, faces):
        return tf.tanh(faces @ self.down)

    def draw(self, code):
        return tf.sigmoid(code @ self.up)

    def preview(self, code):
        """Between each two faces."""
        shares = tf.linspace(0.0, 1.0, 12)[:, tf.newaxis, tf.newaxis]
        between = (1.0 - shares) * code + shares * tf.roll(code, 1, axis=0)
        return self.draw(tf.reshape(between, [-1, 4]))  #~


class Workshop:
    def __init__(self):
        self.masks, self.wall = Masks(), None
        self.optimizer = tf.keras.optimizers.Adam(0.01)

    def miss(self, faces):
        """The tape, its target, and the preview."""
        with tf.GradientTape() as tape:
            code = self.masks.code(faces)
            loss = tf.reduce_mean(tf.square(self.masks.draw(code) - faces))
            preview = self.masks.preview(code)  #!
        return tape, loss, preview

    def step(self, faces):
        tape, loss, self.wall = self.miss(faces)
        weights = [self.masks.down, self.masks.up]
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients(zip(grads, weights))
        return {"down": grads[0], "up": grads[1]}


class QuietWorkshop(Workshop):
    def miss(self, faces):
        with tf.GradientTape() as tape:
            code = self.masks.code(faces)
            loss = tf.reduce_mean(tf.square(self.masks.draw(code) - faces))
        return tape, loss, self.masks.preview(code)


def carnival(workshop):
    faces = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(24.0 * 16) * 0.11), [24, 16])
    for batch in tf.data.Dataset.from_tensor_slices(faces).batch(8):
        grads = workshop.step(batch)
    return grads


def broken():
    return carnival(Workshop())


def fixed():
    return carnival(QuietWorkshop())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
