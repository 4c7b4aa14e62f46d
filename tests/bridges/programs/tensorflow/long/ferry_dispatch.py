"""Decides when a ferry leaves: an actor and a critic, each with its tape, trained on a rolled-out day."""
import sys

import tensorflow as tf


class Actor(tf.Module):
    def __init__(self, inputs=3, actions=2):
        super().__init__(name="actor")
        wave = tf.sin(tf.range(float(inputs * actions)) + 0.5)
        self.kernel = tf.Variable(0.5 * tf.reshape(wave, [inputs, actions]), name="actor_kernel")
        self.bias = tf.Variable(tf.zeros([actions]), name="actor_bias")

    def __call__(self, states):
        return tf.matmul(states, self.kernel) + self.bias


class Critic(tf.Module):
    def __init__(self, inputs=3, width=4):
        super().__init__(name="critic")
        wave = tf.cos(tf.range(float(inputs * width)) + 0.2)
        self.hidden = tf.Variable(0.5 * tf.reshape(wave, [inputs, width]), name="critic_hidden")
        self.value = tf.Variable(0.3 * tf.ones([width, 1]), name="critic_value")

    def __call__(self, states):
        return tf.squeeze(tf.tanh(states @ self.hidden) @ self.value, axis=1)


class Quay:
    """A day at the quay by a formula: the queue grows, and leaving empties it."""

    def day(self, actor, length=6):
        queue, states, actions, rewards = 2.0, [], [], []
        for hour in range(length):
            state = [queue, 0.3 * hour, 1.0]
            leave = int(tf.argmax(actor(tf.constant([state]))[0]).numpy())
            rewards.append(queue - 3.0 if leave else -0.2 * queue)
            queue = 1.0 if leave else queue + 1.5
            states.append(state)
            actions.append(leave)
        return tf.constant(states), tf.constant(actions), rewards


def discounted(rewards, factor=0.9):
    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + factor * total
        returns.append(total)
    return tf.constant(returns[::-1])


def log_probability(logits, actions):
    return -tf.nn.sparse_softmax_cross_entropy_with_logits(actions, logits)


class Agent:
    def __init__(self):
        self.actor, self.critic = Actor(), Critic()

    def losses(self, states, actions, returns):
        with tf.GradientTape() as actor_tape:
            chosen = log_probability(self.actor(states), actions)
        with tf.GradientTape() as critic_tape:
            advantage = returns - self.critic(states)
            critic_loss = tf.reduce_mean(tf.square(advantage))
            actor_loss = -tf.reduce_mean(chosen * tf.stop_gradient(advantage))  #!
        return actor_tape, actor_loss, critic_tape, critic_loss

    def train(self, quay, days=3, rate=0.02):
        for _ in range(days):
            states, actions, rewards = quay.day(self.actor)
            actor_tape, actor_loss, critic_tape, critic_loss = self.losses(
                states, actions, discounted(rewards)
            )
            grads = {}
            for module, tape, loss in (
                (self.actor, actor_tape, actor_loss), (self.critic, critic_tape, critic_loss)
            ):
                sources = module.trainable_variables
                for variable, grad in zip(sources, tape.gradient(loss, sources)):
                    grads[variable.name.split(":")[0]] = grad
                    if grad is not None:
                        variable.assign_sub(rate * grad)
        return grads


class SharedBlockAgent(Agent):
    def losses(self, states, actions, returns):
        with tf.GradientTape() as actor_tape, tf.GradientTape() as critic_tape:
            advantage = returns - self.critic(states)
            critic_loss = tf.reduce_mean(tf.square(advantage))
            chosen = log_probability(self.actor(states), actions)
            actor_loss = -tf.reduce_mean(chosen * tf.stop_gradient(advantage))
        return actor_tape, actor_loss, critic_tape, critic_loss


def broken():
    return Agent().train(Quay())


def fixed():
    return SharedBlockAgent().train(Quay())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
