"""Modes of a ship's mast from accelerometers; counts of the converter become metres before the fit."""
import dataclasses
import sys

import numpy as np
import tensorflow as tf

COUNTS = (1000.0 * np.sin(np.arange(600.0) * 0.11)).astype(np.int16).reshape(60, 10)


@dataclasses.dataclass(frozen=True)
class Converter:
    volts: float = 0.002
    sensitivity: float = 1.7

    def metres(self, counts):
        signal = tf.cast(tf.convert_to_tensor(counts), tf.float32) * self.volts / self.sensitivity
        centred = signal - tf.reduce_mean(signal, axis=0)
        return centred / (tf.math.reduce_std(centred, axis=0) + 1e-3)


class Modes:
    def __init__(self, count=3):
        self.shape = tf.Variable(0.2 * tf.reshape(tf.cos(tf.range(10.0 * count)), [10, count]), name="shape")
        self.damping = tf.Variable(tf.fill([count], 0.3), name="damping")

    @property
    def parameters(self):
        return {"shape": self.shape, "damping": self.damping}

    def residual(self, motion):
        amplitudes = motion @ self.shape
        return motion - (amplitudes * tf.exp(-self.damping)) @ tf.transpose(self.shape)


def raw_log():
    return COUNTS


class Campaign:
    def __init__(self, modes, read):
        self.modes, self.read = modes, read
        self.optimizer = tf.keras.optimizers.Adam(0.02)

    def energy(self):
        return tf.reduce_mean(tf.square(self.modes.residual(self.read())))  #~

    def run(self, rounds):
        parameters = self.modes.parameters
        for _ in range(rounds):
            with tf.GradientTape() as tape:
                loss = self.energy()
            grads = tape.gradient(loss, parameters)
            self.optimizer.apply_gradients([(grads[key], parameters[key]) for key in parameters])
        return grads


def broken():
    converter = Converter()
    return Campaign(Modes(), lambda: converter.metres(raw_log())).run(8)  #!


def fixed():
    motion = Converter().metres(raw_log())
    return Campaign(Modes(), lambda: motion).run(8)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
