"""A dredger learns where to dig: actor and critic share a tape, and both gradients are asked while it still records."""
import sys

import tensorflow as tf


class Net(tf.Module):
    def __init__(self, name, outputs, last):
        super().__init__(name=name)
        self.hidden = tf.Variable(0.2 * tf.reshape(tf.sin(tf.range(24.0)), [4, 6]), name=f"{name}_hidden")
        self.out = tf.Variable(last * tf.reshape(tf.cos(tf.range(6.0 * outputs)), [6, outputs]), name=f"{name}_out")

    def __call__(self, states):
        return tf.tanh(states @ self.hidden) @ self.out


class Agent:
    def __init__(self):
        self.actor, self.critic = Net("actor", 3, 0.3), Net("critic", 1, 0.1)
        self.optimizers = tf.keras.optimizers.SGD(0.01), tf.keras.optimizers.SGD(0.05)

    def losses(self, states, actions, returns):
        values = tf.squeeze(self.critic(states), 1)
        advantage = tf.stop_gradient(returns - values)
        logp = -tf.nn.sparse_softmax_cross_entropy_with_logits(actions, self.actor(states))
        return -tf.reduce_mean(logp * advantage), tf.reduce_mean(tf.square(returns - values))

    def gradients(self, *batch):
        with tf.GradientTape(persistent=True) as tape:
            policy, value = self.losses(*batch)
            actor = tape.gradient(policy, self.actor.trainable_variables)  #!
            critic = tape.gradient(value, self.critic.trainable_variables)  #~
        return actor, critic


class CarefulAgent(Agent):
    def gradients(self, *batch):
        with tf.GradientTape(persistent=True) as tape:
            policy, value = self.losses(*batch)
        actor = tape.gradient(policy, self.actor.trainable_variables)
        critic = tape.gradient(value, self.critic.trainable_variables)
        del tape
        return actor, critic


def returns_of(rewards, discount=0.9):
    total = tf.scan(lambda after, reward: reward + discount * after, rewards, initializer=0.0, reverse=True)
    return total - tf.reduce_mean(total)


def dig(agent, episodes=3):
    states = tf.reshape(tf.sin(tf.range(32.0) * 0.5), [8, 4])
    actions = tf.constant([0, 1, 2, 0, 1, 2, 1, 0])
    last = {}
    for episode in range(episodes):
        returns = returns_of(tf.cos(tf.range(8.0) + episode))
        for optimizer, net, grads in zip(agent.optimizers, (agent.actor, agent.critic), agent.gradients(states, actions, returns)):
            optimizer.apply_gradients(zip(grads, net.trainable_variables))
            last.update({v.name.split(":")[0]: g for v, g in zip(net.trainable_variables, grads)})
    return last


def broken():
    return dig(Agent())


def fixed():
    return dig(CarefulAgent())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
