"""Actuators of a telescope's mirror: a Keras layer turns voltages into strokes, with the travel limited by the hardware."""
import sys

import tensorflow as tf


class Actuators(tf.keras.layers.Layer):
    """Voltages to strokes in micrometres."""

    def __init__(self, units, travel, **kwargs):
        super().__init__(**kwargs)
        self.units, self.travel = units, travel

    def build(self, shape):
        self.gain = self.add_weight(name="gain", shape=(shape[-1], self.units), initializer=tf.keras.initializers.Constant(2.0))
        self.rest = self.add_weight(name="rest", shape=(self.units,), initializer="zeros")

    def call(self, volts):
        stroke = tf.matmul(volts, self.gain) + self.rest
        stroke = tf.minimum(stroke, self.travel)  #!
        return tf.maximum(stroke, -self.travel)


class Optics(tf.keras.Model):
    def __init__(self, travel):
        super().__init__(name="optics")
        self.actuators = Actuators(4, travel, name="actuators")
        self.wavefront = tf.keras.layers.Dense(1, kernel_initializer="ones", name="wavefront")

    def call(self, volts):
        return self.wavefront(self.actuators(volts))


def night():
    volts = 3.0 + tf.sin(tf.reshape(tf.range(24.0), [8, 3]))
    return volts, 0.1 * tf.reduce_sum(volts, axis=1, keepdims=True)


def calibrate(travel, nights=3):
    optics = Optics(travel)
    volts, wanted = night()
    optics(volts)
    optimizer = tf.keras.optimizers.SGD(0.001)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            error = tf.reduce_mean(tf.abs(optics(volts, training=True) - wanted))
        grads = tape.gradient(error, optics.trainable_variables)
        optimizer.apply_gradients(zip(grads, optics.trainable_variables))
        return grads

    for _ in range(nights):
        grads = step()
    return {variable.path: grad for variable, grad in zip(optics.trainable_variables, grads)}


def broken():
    return calibrate(travel=6.0)


def fixed():
    return calibrate(travel=600.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
