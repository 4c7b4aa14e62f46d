"""Policy and critic of a ferry from one persistent tape; the advantage is a constant to the policy, each has its optimizer."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8), shape)


class Captain(tf.Module):
    def __init__(self):
        super().__init__(name="captain")
        self.policy = tf.Variable(wave([4, 3]), name="policy")
        self.critic = tf.Variable(wave([4, 1]), name="critic")

    def act(self, states):
        return tf.nn.log_softmax(states @ self.policy)

    def judge(self, states):
        return tf.squeeze(states @ self.critic, axis=1)


def discounted(rewards, rate=0.9):
    found, later = [], tf.constant(0.0)
    for reward in tf.unstack(rewards)[::-1]:
        later = reward + rate * later
        found.append(later)
    return tf.stack(found[::-1])


def voyage(captain, states, actions, rewards):
    returns = discounted(rewards)
    with tf.GradientTape(persistent=True) as tape:
        values = captain.judge(states)
        advantage = tf.stop_gradient(returns - values)
        chosen = tf.gather(captain.act(states), actions, batch_dims=1)
        policy_loss = -tf.reduce_mean(chosen * advantage)
        critic_loss = tf.reduce_mean(tf.square(returns - values))
    policy = tape.gradient(policy_loss, captain.policy)
    critic = tape.gradient(critic_loss, captain.critic)
    del tape
    return policy, critic


def broken():
    captain = Captain()
    pilot, judge = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.SGD(0.05)
    for trip in range(3):
        states = tf.cos(tf.reshape(tf.range(24.0), [6, 4]) * 0.7 + trip)
        rewards = tf.sin(tf.range(6.0) + trip)
        policy, critic = voyage(captain, states, tf.constant([0, 2, 1, 1, 0, 2]), rewards)
        pilot.apply_gradients([(policy, captain.policy)])
        judge.apply_gradients([(critic, captain.critic)])
    return {"policy": policy, "critic": critic}


if __name__ == "__main__":
    print(broken())
