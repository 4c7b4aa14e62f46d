"""Steers a kite: an actor and a critic (DDPG), the actor's output is limited to what the winch can do."""
import sys

import keras
import tensorflow as tf


def line(shape, dtype=None):
    return 0.5 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.3), shape)


class Actor(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.wind = keras.layers.Dense(6, "elu", kernel_initializer=line, name="wind")
        self.pull = keras.layers.Dense(2, kernel_initializer=line, name="pull")

    def call(self, states):
        return 0.8 * tf.tanh(self.pull(self.wind(states)))  #!


class Critic(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.join = keras.layers.Dense(6, "elu", kernel_initializer=line, name="join")
        self.value = keras.layers.Dense(1, kernel_initializer=line, name="value")

    def call(self, inputs):
        states, actions = inputs
        return self.value(self.join(tf.concat([states, actions], axis=1)))


class Winch:
    def __init__(self, scale):
        self.actor, self.critic, self.scale = Actor(name="actor"), Critic(name="critic"), scale

    def seen(self, readings):
        """Height in metres, speed and angle."""
        return readings / tf.constant(self.scale)

    def critic_step(self, readings, rewards):
        states = self.seen(readings)
        with tf.GradientTape() as tape:
            value = self.critic((states, tf.stop_gradient(self.actor(states))))
            loss = tf.reduce_mean(tf.square(value - rewards))
        return self.apply(self.critic, tape, loss)

    def actor_step(self, readings):
        states = self.seen(readings)
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.critic((states, self.actor(states))))
        return self.apply(self.actor, tape, loss)

    def apply(self, model, tape, loss, rate=1e-4):
        weights = model.trainable_weights
        grads = tape.gradient(loss, weights)
        for weight, grad in zip(weights, grads):
            weight.assign(weight - rate * tf.clip_by_norm(grad, 1.0))
        return {weight.path: grad for weight, grad in zip(weights, grads)}


def flight(scale, steps=3):
    winch = Winch(scale)
    for step in range(steps):
        time = tf.range(5.0) + step
        readings = tf.stack([320.0 + 15.0 * tf.sin(time), 8.0 + tf.cos(time), 0.2 * time], axis=1)
        winch.critic_step(readings, tf.sin(time)[:, tf.newaxis])
        grads = winch.actor_step(readings)
    return grads


def broken():
    return flight(scale=[1.0, 1.0, 1.0])


def fixed():
    return flight(scale=[300.0, 10.0, 1.0])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
