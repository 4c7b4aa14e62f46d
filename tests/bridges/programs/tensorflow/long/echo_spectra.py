"""A denoiser of sonar echoes is trained on the logarithms of short-time spectra; the pings end in silence."""
import sys

import tensorflow as tf


class Denoiser(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__(name="denoiser")
        self.taps = self.add_weight(shape=(5, 1, 1), initializer=tf.keras.initializers.Constant(0.2), name="taps")

    def call(self, echoes):
        return tf.squeeze(tf.nn.conv1d(echoes[..., None], self.taps, stride=1, padding="SAME"), -1)


class SpectralLoss(tf.keras.losses.Loss):
    def __init__(self, floor=None):
        super().__init__(name="spectral")
        self.floor = floor

    def power(self, echoes):
        frames = tf.signal.stft(echoes, frame_length=16, frame_step=16, window_fn=None)
        power = tf.square(tf.math.real(frames)) + tf.square(tf.math.imag(frames))
        return power if self.floor is None else tf.maximum(power, self.floor)

    def call(self, clean, cleaned):
        wanted, got = tf.math.log(self.power(clean)), tf.math.log(self.power(cleaned))  #!
        return tf.reduce_mean(tf.square(wanted - got), axis=[1, 2])


def pings(count, quiet):
    time = tf.range(64.0)
    for number in range(count):
        ping = tf.sin(0.4 * time + number) + 0.3 * tf.cos(1.7 * time)
        yield ping * tf.cast(time < 64.0 - (quiet if number == count - 1 else 0.0), tf.float32)


def train(floor):
    denoiser, loss = Denoiser(), SpectralLoss(floor)
    optimizer = tf.keras.optimizers.Adam(1e-3)
    for ping in pings(3, quiet=24.0):
        noisy = (ping + 0.1 * tf.sin(11.0 * tf.range(64.0)))[None]
        with tf.GradientTape() as tape:
            value = loss(ping[None], denoiser(noisy))
        grad = tape.gradient(value, denoiser.taps)
        optimizer.apply_gradients([(grad, denoiser.taps)])
    return {"denoiser/taps": grad}


def broken():
    return train(None)


def fixed():
    return train(1e-4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
