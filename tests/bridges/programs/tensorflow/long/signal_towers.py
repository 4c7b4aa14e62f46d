"""Signals between towers, by a while loop with several variables; the tolerance stops it. The tape is outside."""
import sys

import tensorflow as tf


class Towers(tf.Module):
    def __init__(self, gain):
        super().__init__(name="towers")
        self.gain = tf.Variable(gain, name="gain")
        self.loss = tf.Variable([0.1, 0.2, 0.3], name="loss")

    @tf.function
    def relay(self, signal):
        def going(hop, signal):
            return hop < 12

        def pass_on(hop, signal):
            boosted = tf.sigmoid(self.gain * signal)  #!
            return hop + 1, boosted - self.loss * 0.01

        return tf.while_loop(going, pass_on, [tf.constant(0), signal])[1]


def tune(gain, nights=2):
    towers = Towers(gain)
    rule = tf.keras.optimizers.SGD(0.5)
    for night in range(nights):
        signal = tf.constant([0.5, 0.8, 1.1]) + 0.1 * night
        with tf.GradientTape() as tape:
            miss = tf.reduce_sum(tf.square(towers.relay(signal) - 0.9))
        gain_grad, loss_grad = tape.gradient(miss, [towers.gain, towers.loss])
        rule.apply_gradients([(gain_grad, towers.gain), (loss_grad, towers.loss)])
    return {"gain": gain_grad, "loss": loss_grad}


def broken():
    return tune(300.0)


def fixed():
    return tune(2.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
