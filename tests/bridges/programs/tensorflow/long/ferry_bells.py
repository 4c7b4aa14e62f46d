"""Bells of a ferry: the pitch of strikes is fitted in batches as they come from a recorder, the last one short."""
import sys

import tensorflow as tf


class Bell(tf.Module):
    def __init__(self):
        super().__init__(name="bell")
        self.pitch = tf.Variable(0.8, name="pitch")
        self.decay = tf.Variable(0.3, name="decay")

    def sound(self, times):
        return tf.exp(-self.decay * times) * tf.cos(self.pitch * times)


class Fitter:
    def __init__(self, bell):
        self.bell = bell
        self.optimizer = tf.keras.optimizers.SGD(0.05)

    @tf.function
    def learn(self, times, heard):
        with tf.GradientTape() as tape:
            miss = tf.reduce_mean(tf.square(self.bell.sound(times) - heard))
        grads = tape.gradient(miss, [self.bell.pitch, self.bell.decay])
        self.optimizer.apply_gradients(zip(grads, [self.bell.pitch, self.bell.decay]))
        return grads


def recorder(drop_remainder):
    times = tf.linspace(0.0, 5.0, 22)
    heard = tf.exp(-0.2 * times) * tf.cos(1.1 * times)
    return tf.data.Dataset.from_tensor_slices((times, heard)).batch(8, drop_remainder=drop_remainder)


def ring(drop_remainder, evenings=2):
    fitter = Fitter(Bell())
    strikes = recorder(drop_remainder)
    for _ in range(evenings):
        for times, heard in strikes:
            pitch, decay = fitter.learn(times, heard)  #!
    return {"pitch": pitch, "decay": decay}


def broken():
    return ring(drop_remainder=False)


def fixed():
    return ring(drop_remainder=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
