"""Trims a lighthouse's shutters: an actor and a critic with an optimizer each, on rollouts of a small simulation."""
import dataclasses

import keras
import tensorflow as tf


@dataclasses.dataclass
class Rollout:
    states: tf.Tensor
    actions: tf.Tensor
    returns: tf.Tensor


def lamp(shape, dtype=None):
    return 0.5 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.9 + 0.4), shape)


class Keeper:
    def __init__(self):
        self.actor = keras.Sequential(
            [keras.Input((3,)), keras.layers.Dense(6, "tanh", kernel_initializer=lamp, name="look"),
             keras.layers.Dense(2, kernel_initializer=lamp, name="turn")],
            name="actor",
        )
        self.critic = keras.Sequential(
            [keras.Input((3,)), keras.layers.Dense(6, "tanh", kernel_initializer=lamp, name="weigh"),
             keras.layers.Dense(1, kernel_initializer=lamp, name="value")],
            name="critic",
        )
        self.slow, self.fast = keras.optimizers.Adam(0.005), keras.optimizers.Adam(0.02)

    def night(self, start, hours=5, discount=0.9):
        """Plays one night; choices are the likelier action, shifted every third hour to explore."""
        state, states, actions, rewards = start, [], [], []
        for hour in range(hours):
            action = tf.argmax(self.actor(state), axis=1, output_type=tf.int32)
            if hour % 3 == 2:
                action = 1 - action
            states.append(state)
            actions.append(action)
            turned = 0.4 * (2.0 * tf.cast(action, tf.float32)[:, tf.newaxis] - 1.0)
            state = tf.tanh(0.8 * state + turned * tf.constant([[1.0, -0.5, 0.2]]))
            rewards.append(1.0 - tf.abs(state[:, 0]))
        returns, total = [], tf.zeros_like(rewards[0])
        for reward in reversed(rewards):
            total = reward + discount * total
            returns.insert(0, total)
        return Rollout(tf.concat(states, 0), tf.concat(actions, 0), tf.concat(returns, 0))

    def learn(self, rollout):
        with tf.GradientTape() as critic_tape:
            values = self.critic(rollout.states)[:, 0]
            critic_loss = tf.reduce_mean(tf.square(values - rollout.returns))
        advantage = rollout.returns - values
        with tf.GradientTape() as actor_tape:
            taken = tf.nn.sparse_softmax_cross_entropy_with_logits(rollout.actions, self.actor(rollout.states))
            actor_loss = tf.reduce_mean(taken * advantage)
        grads = {}
        for model, optimizer, tape, loss in (
            (self.critic, self.fast, critic_tape, critic_loss),
            (self.actor, self.slow, actor_tape, actor_loss),
        ):
            found = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(found, model.trainable_variables))
            grads.update({v.path: g for v, g in zip(model.trainable_variables, found)})
        return grads


def broken():
    keeper = Keeper()
    start = tf.reshape(tf.cos(tf.range(12.0)), [4, 3])
    for _ in range(3):
        grads = keeper.learn(keeper.night(start))
    return grads


if __name__ == "__main__":
    print(broken())
