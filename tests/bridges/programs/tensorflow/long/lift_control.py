"""Learns to send a lift: a deep Q net with a target net, a replay memory and a compiled update."""
import collections
import sys

import keras
import tensorflow as tf

Memory = collections.namedtuple("Memory", "states actions rewards following")


def cable(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.9 + 0.1), shape)


def q_net(name):
    return keras.Sequential(
        [
            keras.Input((4,)),
            keras.layers.Dense(8, "tanh", kernel_initializer=cable, name="floors"),
            keras.layers.Dense(3, kernel_initializer=cable, name="values"),
        ],
        name=name,
    )


class Agent:
    def __init__(self, factor=0.9):
        self.online, self.target, self.factor = q_net("online"), q_net("target"), factor
        self.target.set_weights(self.online.get_weights())
        self.optimizer = keras.optimizers.Adam(0.01)
        self.optimizer.build(self.online.trainable_variables)

    def chosen(self, states, actions):
        return tf.reduce_sum(self.online(states) * tf.one_hot(actions, 3), axis=1)

    def wanted(self, memory):
        best = tf.reduce_max(self.target(memory.following), axis=1)
        return tf.stop_gradient(memory.rewards + self.factor * best)

    def difference(self, memory):
        return self.wanted(memory) - tf.stop_gradient(self.chosen(memory.states, memory.actions))  #!

    @tf.function
    def update(self, memory):
        weights = self.online.trainable_variables
        with tf.GradientTape() as tape:
            error = self.difference(memory)  #~
            regular = 1e-3 * tf.nn.l2_loss(self.online.layers[-1].kernel)
            loss = tf.reduce_mean(tf.square(error)) + regular
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients([(g, w) for g, w in zip(grads, weights) if g is not None])
        return grads

    def follow(self, share=0.1):
        for slow, fast in zip(self.target.weights, self.online.weights):
            slow.assign((1.0 - share) * slow + share * fast)


class LearningAgent(Agent):
    def difference(self, memory):
        return self.wanted(memory) - self.chosen(memory.states, memory.actions)


def building(steps=3):
    for step in range(steps):
        states = tf.reshape(tf.cos(tf.range(24.0) * 0.4 + step), [6, 4])
        actions = (tf.range(6) + step) % 3
        yield Memory(states, actions, tf.sin(tf.range(6.0) + step), tf.roll(states, 1, axis=0))


def train(agent):
    for memory in building():
        grads = agent.update(memory)
        agent.follow()
    return {weight.path: grad for weight, grad in zip(agent.online.trainable_variables, grads)}


def broken():
    return train(Agent())


def fixed():
    return train(LearningAgent())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
