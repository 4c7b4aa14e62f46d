"""Learns the weights of a line of hydrophones, so that its beam points at a buoy and not at the ferries."""
import math
import sys

import tensorflow as tf

SENSORS, ANGLES, TONES = 12, 90, 6


class Beamformer(tf.Module):
    def __init__(self, spacing=0.4):
        super().__init__(name="beamformer")
        self.spacing = spacing
        self.real = tf.Variable(tf.cos(tf.range(float(SENSORS)) * 0.2) / SENSORS, name="real")
        self.imag = tf.Variable(tf.sin(tf.range(float(SENSORS)) * 0.1) / SENSORS, name="imag")

    def steering(self):
        """Phase of each tone at each sensor for each angle of arrival."""
        place = self.spacing * tf.range(float(SENSORS))  #~
        bearing = tf.linspace(-math.pi / 2, math.pi / 2, ANGLES)  #~
        wavelength = 1.5 / (1.0 + 0.1 * tf.range(float(TONES)))  #~
        delay = tf.sin(bearing)[None, :, None] * place[None, None, :]  #~
        phase = 2.0 * math.pi * delay / wavelength[:, None, None]  #~
        return tf.cos(phase), tf.sin(phase)  #!

    def power(self):
        cosine, sine = self.steering()  #~
        real = tf.linalg.matvec(cosine, self.real) + tf.linalg.matvec(sine, self.imag)
        imag = tf.linalg.matvec(cosine, self.imag) - tf.linalg.matvec(sine, self.real)
        return tf.square(real) + tf.square(imag)


class StoredBeamformer(Beamformer):
    def __init__(self, spacing=0.4):
        super().__init__(spacing)
        self.stored = super().steering()

    def steering(self):
        return self.stored


def wanted():
    bearing = tf.linspace(-90.0, 90.0, ANGLES)
    return tf.exp(-tf.square((bearing - 20.0) / 8.0))


def tune(beam, steps=6):
    target = wanted()
    for _ in range(steps):
        with tf.GradientTape() as tape:
            power = beam.power()  #~
            sidelobes = tf.reduce_mean(tf.square(power - target[None, :]))
            loss = sidelobes + 1e-3 * (tf.reduce_sum(tf.square(beam.real)) + tf.reduce_sum(tf.square(beam.imag)))
        grads = tape.gradient(loss, [beam.real, beam.imag])
        for variable, grad in zip([beam.real, beam.imag], grads):
            variable.assign_sub(0.05 * grad)
    return dict(zip(["real", "imag"], grads))


def broken():
    return tune(Beamformer())


def fixed():
    return tune(StoredBeamformer())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
