"""Dyeing is controlled by an actor that a critic judges; one persistent tape serves both losses."""
import sys

import tensorflow as tf


def dense(inputs, outputs, seed):
    return tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(float(inputs * outputs)) + seed), [inputs, outputs]), name=f"w{seed}")


class Network:
    def __init__(self, *widths, seed=0):
        self.layers = [dense(a, b, seed + n) for n, (a, b) in enumerate(zip(widths, widths[1:]))]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = tf.nn.elu(x @ layer)
        return x @ self.layers[-1]


class Vat:
    def __init__(self):
        self.actor, self.critic = Network(3, 8, 2, seed=0), Network(5, 8, 1, seed=10)

    def losses(self, states, targets):
        actions = tf.tanh(self.actor(states))
        values = self.critic(tf.concat([states, actions], axis=1))
        return -tf.reduce_mean(values), tf.reduce_mean(tf.square(values - targets))


def one_tape(vat, states, targets):
    with tf.GradientTape(persistent=True) as tape:
        actor_loss, critic_loss = vat.losses(states, targets)
        actor = tape.gradient(actor_loss, vat.actor.layers)  #!
        critic = tape.gradient(critic_loss, vat.critic.layers)  #~
    del tape
    return actor, critic


def after_block(vat, states, targets):
    with tf.GradientTape(persistent=True) as tape:
        actor_loss, critic_loss = vat.losses(states, targets)
    actor = tape.gradient(actor_loss, vat.actor.layers)
    critic = tape.gradient(critic_loss, vat.critic.layers)
    del tape
    return actor, critic


def train(step, rounds=3):
    vat, optimizer = Vat(), tf.keras.optimizers.SGD(0.01)
    states = tf.reshape(tf.cos(tf.range(48.0)), [16, 3])
    targets = tf.reduce_sum(states, axis=1, keepdims=True)
    for _ in range(rounds):
        actor, critic = step(vat, states, targets)
        weights = vat.actor.layers + vat.critic.layers
        optimizer.apply_gradients(zip(actor + critic, weights))
    return {"w1": actor[-1], "w11": critic[-1]}


def broken():
    return train(one_tape)


def fixed():
    return train(after_block)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
