"""Deep Q-learning for a warehouse robot with an online and a target network."""
import sys

import tensorflow as tf

ACTIONS = 3


class QNetwork(tf.Module):
    def __init__(self, name):
        super().__init__(name=name)
        self.hidden = tf.Variable(tf.reshape(tf.sin(tf.range(20.0)), [4, 5]), name=f"{name}_hidden")
        self.out = tf.Variable(tf.reshape(tf.cos(tf.range(15.0)), [5, ACTIONS]), name=f"{name}_out")

    def __call__(self, states):
        return tf.matmul(tf.nn.elu(tf.matmul(states, self.hidden)), self.out)


class Agent:
    def __init__(self, discount=0.9):
        self.online = QNetwork("online")
        self.target = QNetwork("target")
        self.discount = discount

    def bootstrap(self, rewards, next_states):
        future = tf.reduce_max(self.target(next_states), axis=1)
        return tf.stop_gradient(rewards + self.discount * future)

    def chosen_value(self, states, actions):
        best = tf.argmax(self.online(states), axis=1)  #!
        return tf.cast(best, tf.float32) / ACTIONS

    def td_loss(self, batch):
        states, actions, rewards, next_states = batch
        goal = self.bootstrap(rewards, next_states)
        return tf.reduce_mean(tf.square(self.chosen_value(states, actions) - goal))

    def gradients(self, batch):
        with tf.GradientTape() as tape:
            loss = self.td_loss(batch)
        names = ["online_hidden", "online_out"]
        return dict(zip(names, tape.gradient(loss, [self.online.hidden, self.online.out])))


class RepairedAgent(Agent):
    def chosen_value(self, states, actions):
        return tf.reduce_sum(self.online(states) * tf.one_hot(actions, ACTIONS), axis=1)


def replay():
    states = tf.reshape(tf.cos(tf.range(24.0) / 3.0), [6, 4])
    actions = tf.constant([0, 2, 1, 1, 0, 2])
    rewards = tf.constant([0.0, 1.0, -1.0, 0.5, 0.0, 1.0])
    return states, actions, rewards, tf.roll(states, 1, axis=0)


def broken():
    return Agent().gradients(replay())


def fixed():
    return RepairedAgent().gradients(replay())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
