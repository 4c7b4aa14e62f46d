"""Inspects welds with a frozen camera network and a small head that learns."""
import sys

import tensorflow as tf


def camera_network():
    return tf.keras.Sequential([tf.keras.Input([12]),
                                tf.keras.layers.Dense(24, activation="relu", kernel_initializer="ones", name="edges"),
                                tf.keras.layers.Dense(12, activation="relu", kernel_initializer="ones", name="seams")],
                               name="camera")


class Inspector:
    """Only the head's weights are handed to the optimizer."""

    def __init__(self, camera, hold):
        self.camera, self.hold = camera, hold
        self.crack = tf.Variable(0.02 * tf.ones([12, 1]), name="crack")
        self.offset = tf.Variable(0.0, name="offset")

    @property
    def learnt(self):
        return [self.crack, self.offset]

    def score(self, pictures):
        return 0.001 * self.hold(self.camera(pictures)) @ self.crack + self.offset  #!

    def loss(self, pictures, cracked):
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(cracked, self.score(pictures)))


def shifts(count=4):
    for shift in range(count):
        pictures = tf.reshape(tf.abs(tf.sin(tf.range(16 * 12.0) + shift)), [16, 12])
        yield pictures, tf.cast(pictures[:, :1] > 0.5, tf.float32)


def inspect(hold):
    inspector = Inspector(camera_network(), hold)
    optimizer = tf.keras.optimizers.SGD(0.1)
    for pictures, cracked in shifts():
        with tf.GradientTape() as tape:
            loss = inspector.loss(pictures, cracked)  #~
        grads = tape.gradient(loss, inspector.learnt)
        optimizer.apply_gradients(zip(grads, inspector.learnt))
    return {"crack": grads[0], "offset": grads[1]}


def broken():
    return inspect(hold=tf.identity)


def fixed():
    return inspect(hold=tf.stop_gradient)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
