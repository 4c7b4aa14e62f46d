"""Aligns the clicks of two hydrophones: the delay between them is learned by shifting one against the other."""
import sys

import tensorflow as tf


class Aligner(tf.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.delay = tf.Variable(0.03, name="delay")
        self.gain = tf.Variable(0.8, name="gain")

    def loudness(self, clicks):
        return tf.stop_gradient(tf.reduce_max(tf.abs(clicks)))

    def shifted(self, clicks):
        samples = tf.cast(self.samples(), tf.int32)  #!
        return self.turned(clicks, tf.cast(samples, tf.float32))

    def samples(self):
        return self.delay * self.rate

    def turned(self, clicks, samples):
        """Shifts by any part of a sample, by the phases of the spectrum."""
        count = clicks.shape[0]
        angle = -6.2831853 * tf.range(count // 2 + 1, dtype=tf.float32) / count * samples
        return tf.signal.irfft(tf.signal.rfft(clicks) * tf.complex(tf.cos(angle), tf.sin(angle)))

    def miss(self, near, far):
        moved = self.gain * self.shifted(near / self.loudness(near))
        return tf.reduce_mean(tf.square(moved - far / self.loudness(far)))


class PhaseAligner(Aligner):
    def shifted(self, clicks):
        return self.turned(clicks, self.samples())


def listen(kind):
    time = tf.range(64.0) / 64.0
    near = tf.sin(40.0 * time) * tf.exp(-8.0 * time)
    far = 0.5 * tf.roll(near, 5, axis=0)
    aligner = kind(rate=64.0)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = aligner.miss(near, far)
        delay, gain = tape.gradient(loss, [aligner.delay, aligner.gain])
        aligner.gain.assign_sub(0.1 * gain)
    return {"delay": delay, "gain": gain}


def broken():
    return listen(Aligner)


def fixed():
    return listen(PhaseAligner)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
