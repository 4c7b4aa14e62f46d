"""Finds strokes in brain scans; the same loop once made saliency maps as well."""
import sys

import tensorflow as tf


def soft(shape, dtype=None):
    size = 1
    for part in shape:
        size *= part
    return 0.25 * tf.reshape(tf.sin(tf.range(float(size)) * 0.91), shape)


class StrokeNet(tf.keras.Model):
    def __init__(self):
        super().__init__(name="stroke")
        self.scan = tf.keras.layers.Conv2D(4, 3, strides=2, activation="relu", kernel_initializer=soft, name="scan")
        self.flat = tf.keras.layers.Flatten()
        self.verdict = tf.keras.layers.Dense(1, kernel_initializer=soft, name="verdict")

    def call(self, slices):
        normal = (slices - 0.5) / 0.25  #!
        return self.verdict(self.flat(self.scan(normal)))[:, 0]  #~


def data():
    slices = 0.5 + 0.4 * tf.cos(tf.reshape(tf.range(12 * 144.0), [12, 12, 12, 1]) * 0.07)
    return tf.data.Dataset.from_tensor_slices((slices, tf.cast(tf.range(12) % 2, tf.float32))).batch(4)


def fit(saliency):
    model = StrokeNet()
    optimizer = tf.keras.optimizers.Adam(0.003)
    for slices, stroke in data():
        with tf.GradientTape() as tape:
            if saliency:
                tape.watch(slices)  #~
            logits = model(slices)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(stroke, logits))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {"stroke/scan/kernel": grads[0], "stroke/verdict/kernel": grads[2]}


def broken():
    return fit(saliency=True)


def fixed():
    return fit(saliency=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
