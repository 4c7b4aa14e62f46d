"""Cranes of a quay learn from two critics, of which the smaller value counts; targets move slowly and get no gradient."""
import sys

import keras
import tensorflow as tf


def network(inputs, outputs, name):
    return keras.Sequential(
        [keras.Input([inputs]), keras.layers.Dense(6, "tanh", kernel_initializer=wave, name="in"),
         keras.layers.Dense(outputs, kernel_initializer=wave, name="out")], name=name)


def wave(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(1.3 * tf.range(float(shape[0] * shape[1]))), shape)


class TwinCritics:
    def __init__(self):
        self.actor = network(3, 1, "actor")
        self.critics = [network(4, 1, f"critic{n}") for n in range(2)]
        self.targets = [network(4, 1, f"target{n}") for n in range(2)]
        for target, critic in zip(self.targets, self.critics):
            target.set_weights(critic.get_weights())
        self.optimizers = [keras.optimizers.SGD(0.01) for _ in range(3)]

    def target(self, states, rewards):
        actions = tf.tanh(self.actor(states))
        values = [target(tf.concat([states, actions], 1)) for target in self.targets]
        return tf.stop_gradient(rewards + 0.9 * tf.minimum(*values))

    def step(self, states, actions, rewards):
        goal = self.target(states, rewards)
        with tf.GradientTape(persistent=True) as tape:
            losses = [tf.reduce_mean(tf.square(critic(tf.concat([states, actions], 1)) - goal)) for critic in self.critics]
        grads = [tape.gradient(loss, critic.trainable_variables) for loss, critic in zip(losses, self.critics)]
        del tape
        for part, critic, optimizer in zip(grads, self.critics, self.optimizers):
            optimizer.apply(part, critic.trainable_variables)
        with tf.GradientTape() as tape:
            played = tf.tanh(self.actor(states))
            value = -tf.reduce_mean(self.critics[0](tf.concat([states, played], 1)))
        actor = tape.gradient(value, self.actor.trainable_variables)
        self.optimizers[2].apply(actor, self.actor.trainable_variables)
        for target, critic in zip(self.targets, self.critics):
            for slow, fast in zip(target.weights, critic.weights):
                slow.assign(0.95 * slow + 0.05 * fast)
        return actor, grads


def broken():
    agent = TwinCritics()
    for number in range(3):
        states = tf.reshape(tf.cos(tf.range(24.0) + number), [8, 3])
        actor, grads = agent.step(states, tf.tanh(states[:, :1]), states[:, 1:2])
    return {"actor/in/kernel": actor[0], "critic0/out/bias": grads[0][-1], "critic1/in/kernel": grads[1][0]}


if __name__ == "__main__":
    print(broken())
