"""Firing curves of a kiln: the mean error is kept by a metric, so that the log and the training use one number."""
import sys

import keras
import tensorflow as tf


def start(shape, dtype=None):
    return 0.5 * tf.reshape(tf.cos(1.1 * tf.range(shape[0] * shape[1], dtype=tf.float32)), shape)


class FiringCurve(keras.Model):
    def __init__(self):
        super().__init__(name="kiln")
        self.heat = keras.layers.Dense(6, activation="tanh", kernel_initializer=start, name="heat")
        self.hold = keras.layers.Dense(1, kernel_initializer=start, name="hold")

    def call(self, minutes):
        return self.hold(self.heat(minutes))


class Firing:
    def __init__(self):
        self.model = FiringCurve()
        self.error = keras.metrics.MeanSquaredError(name="error")
        self.optimizer = keras.optimizers.Adam(0.01)
        self.log = []

    def loss(self, wanted, reached):
        self.error.update_state(wanted, reached)  #!
        return self.error.result()  #~

    def batch(self, number):
        minutes = tf.reshape(tf.linspace(0.0, 1.0, 8) + 0.1 * number, [8, 1])
        return minutes, tf.sqrt(minutes + 0.2)

    def run(self, batches=3):
        for number in range(batches):
            minutes, wanted = self.batch(number)
            with tf.GradientTape() as tape:
                loss = self.loss(wanted, self.model(minutes, training=True))
            weights = self.model.trainable_variables
            gradients = tape.gradient(loss, weights)
            known = [(g, w) for g, w in zip(gradients, weights) if g is not None]
            if known:
                self.optimizer.apply_gradients(known)
            self.log.append(loss)
        self.error.reset_state()
        return {weight.path: gradient for weight, gradient in zip(weights, gradients)}


class DirectFiring(Firing):
    def loss(self, wanted, reached):
        self.error.update_state(wanted, reached)
        return tf.reduce_mean(tf.square(wanted - reached))


def broken():
    return Firing().run()


def fixed():
    return DirectFiring().run()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
