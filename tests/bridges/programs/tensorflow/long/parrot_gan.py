"""A small GAN of parrot calls: both players take their gradients from one forward pass."""
import sys

import keras
import tensorflow as tf


def start(phase):
    return lambda shape, dtype=None: 0.4 * tf.reshape(tf.sin(1.7 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


def player(name, sizes, inputs, phase):
    layers = [keras.Input((inputs,))]
    for depth, size in enumerate(sizes):
        last = depth == len(sizes) - 1
        layers.append(keras.layers.Dense(size, activation=None if last else "leaky_relu", kernel_initializer=start(phase + depth), name=f"layer{depth}"))
    return keras.Sequential(layers, name=name)


class CallGan:
    def __init__(self):
        self.speaker = player("speaker", [8, 4], 3, 0.2)
        self.listener = player("listener", [6, 1], 4, 1.9)
        self.speaker_optimizer = keras.optimizers.Adam(1e-3, beta_1=0.5)
        self.listener_optimizer = keras.optimizers.Adam(1e-3, beta_1=0.5)

    def step(self, real, noise):
        with tf.GradientTape(persistent=True) as tape:
            made = self.speaker(noise, training=True)
            on_real, on_made = self.listener(real, training=True), self.listener(made, training=True)
            listener_loss = tf.reduce_mean(tf.nn.softplus(-on_real)) + tf.reduce_mean(tf.nn.softplus(on_made))
            speaker_loss = tf.reduce_mean(tf.nn.softplus(-on_made))
        listener_slopes = tape.gradient(listener_loss, self.listener.trainable_variables)
        speaker_slopes = tape.gradient(speaker_loss, self.speaker.trainable_variables)
        del tape
        self.listener_optimizer.apply_gradients(zip(listener_slopes, self.listener.trainable_variables))
        self.speaker_optimizer.apply_gradients(zip(speaker_slopes, self.speaker.trainable_variables))
        return listener_slopes, speaker_slopes


def recorded(day):
    return tf.reshape(tf.sin(0.6 * tf.range(32.0) + day), [8, 4]), tf.reshape(tf.cos(2.3 * tf.range(24.0) + day), [8, 3])


def broken():
    gan = CallGan()
    for day in range(4):
        listener_slopes, speaker_slopes = gan.step(*recorded(float(day)))
    found = zip([*gan.listener.trainable_variables, *gan.speaker.trainable_variables], [*listener_slopes, *speaker_slopes])
    return {variable.path: slope for variable, slope in found}


if __name__ == "__main__":
    print(broken())
