"""A glider's policy is improved by proximal policy optimization; the old probabilities are from long ago."""
import sys

import keras
import tensorflow as tf


def wave(shape, dtype=None):
    return 0.5 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.7), shape)


class Pilot:
    def __init__(self):
        self.policy = keras.Sequential(
            [
                keras.Input((3,)),
                keras.layers.Dense(6, "tanh", kernel_initializer=wave, name="air"),
                keras.layers.Dense(2, kernel_initializer=wave, name="turn"),
            ],
            name="glider",
        )

    def log_probability(self, air, turns):
        every = tf.nn.log_softmax(self.policy(air))
        return tf.gather(every, turns, batch_dims=1)

    def surrogate(self, air, turns, old, advantage, spread=0.2):
        ratio = tf.exp(self.log_probability(air, turns) - old)
        clipped = tf.clip_by_value(ratio, 1.0 - spread, 1.0 + spread)  #!
        return -tf.reduce_mean(tf.minimum(ratio * advantage, clipped * advantage))  #~


def flights(count=8):
    air = tf.reshape(tf.cos(tf.range(3.0 * count) * 0.3), [count, 3])
    return air, tf.range(count) % 2, 1.0 + 0.1 * tf.sin(tf.range(float(count)))


def improve(remember, epochs=3):
    pilot, optimizer = Pilot(), keras.optimizers.SGD(0.05)
    air, turns, advantage = flights()
    old = remember(pilot, air, turns)
    for _ in range(epochs):
        with tf.GradientTape() as tape:
            loss = pilot.surrogate(air, turns, old, advantage)
        grads = tape.gradient(loss, pilot.policy.trainable_variables)
        optimizer.apply(grads, pilot.policy.trainable_variables)
    return {v.path: g for v, g in zip(pilot.policy.trainable_variables, grads) if "kernel" in v.path}


def broken():
    return improve(lambda pilot, air, turns: tf.fill([8], -6.0))


def fixed():
    return improve(lambda pilot, air, turns: tf.stop_gradient(pilot.log_probability(air, turns)))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
