"""Steers a harbour crane: the actor's forces are limited to what the motors give, and a step is compiled."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 2.0 + 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.7), shape)


class Actor(tf.keras.Model):
    def __init__(self, scale):
        super().__init__(name="actor")
        self.scale = scale
        self.force = tf.keras.layers.Dense(2, use_bias=False, kernel_initializer=wave, name="force")

    def call(self, states):
        return tf.clip_by_value(self.scale * self.force(states), -1.0, 1.0)  #!


class Crane(tf.Module):
    def __init__(self):
        super().__init__(name="crane")
        self.rope = tf.Variable([0.5, 0.2], name="rope")

    def reach(self, states, forces):
        return states[:, :2] + 0.3 * forces * self.rope


def work(scale, loads=3):
    actor, crane = Actor(scale), Crane()
    actor(tf.zeros([1, 4]))
    optimizer = tf.keras.optimizers.Adam(0.01)
    sources = [actor.force.kernel, crane.rope]

    @tf.function
    def move(states, places):
        with tf.GradientTape() as tape:
            reached = crane.reach(states, actor(states))
            loss = tf.reduce_mean(tf.square(reached - places))
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients(zip(grads, sources))
        return grads

    for load in range(loads):
        states = 0.6 + 0.3 * tf.cos(tf.reshape(tf.range(20.0), [5, 4]) + load)
        grads = move(states, tf.fill([5, 2], 0.4))
    return {"actor/force/kernel": grads[0], "rope": grads[1]}


def broken():
    return work(1.0)


def fixed():
    return work(0.05)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
