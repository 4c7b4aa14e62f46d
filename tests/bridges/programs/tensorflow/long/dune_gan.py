"""Draws dunes by a generator against a critic; both are asked while the tape is still open."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.9), shape)


class Dunes(tf.Module):
    def __init__(self):
        super().__init__(name="dunes")
        self.wind = tf.Variable(wave([3, 6]), name="wind")
        self.eye = tf.Variable(wave([6, 1]), name="eye")

    def drawn(self, noise):
        return tf.tanh(noise @ self.wind)

    def doubt(self, dunes):
        return tf.squeeze(dunes @ self.eye, axis=1)

    def losses(self, noise, seen):
        fake = self.doubt(self.drawn(noise))
        real = self.doubt(seen)
        return -tf.reduce_mean(fake), tf.reduce_mean(fake) - tf.reduce_mean(real)


def asked_within(dunes, noise, seen):
    with tf.GradientTape(persistent=True) as tape:
        drawing, judging = dunes.losses(noise, seen)
        wind = tape.gradient(drawing, dunes.wind)  #!
        eye = tape.gradient(judging, dunes.eye)  #~
    return wind, eye


def asked_after(dunes, noise, seen):
    with tf.GradientTape(persistent=True) as tape:
        drawing, judging = dunes.losses(noise, seen)
    return tape.gradient(drawing, dunes.wind), tape.gradient(judging, dunes.eye)


def blow(ask, hours=3):
    dunes = Dunes()
    for hour in range(hours):
        noise = tf.sin(tf.reshape(tf.range(12.0), [4, 3]) + hour)
        seen = tf.cos(tf.reshape(tf.range(24.0), [4, 6]) * 0.3)
        wind, eye = ask(dunes, noise, seen)
        dunes.wind.assign_sub(0.05 * wind)
        dunes.eye.assign_sub(0.05 * eye)
    return {"wind": wind, "eye": eye}


def broken():
    return blow(asked_within)


def fixed():
    return blow(asked_after)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
