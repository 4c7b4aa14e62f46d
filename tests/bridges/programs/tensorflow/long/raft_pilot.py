"""Steers a raft between banks: a policy is asked at each stroke, and learns from whole journeys."""
import dataclasses

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class River:
    """A simulator in numpy; it knows nothing of gradients."""

    middle: float = 0.0
    stroke: int = 0

    def state(self):
        return np.array([self.middle, np.sin(0.4 * self.stroke), 1.0], np.float32)

    def step(self, action):
        self.middle += 0.3 * (action - 1) + 0.1 * np.sin(0.4 * self.stroke)
        self.stroke += 1
        return self.state(), -abs(self.middle), abs(self.middle) > 2.0 or self.stroke >= 20


class Pilot(tf.keras.Model):
    def __init__(self):
        super().__init__(name="pilot")
        self.look = tf.keras.layers.Dense(6, activation="tanh", kernel_initializer=tf.keras.initializers.Constant(0.1), name="look")
        self.choose = tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.Constant(0.1), name="choose")

    def call(self, states):
        return self.choose(self.look(states))

    def act(self, state, draw):
        chances = tf.nn.softmax(self(state[None]))[0].numpy()
        return int(np.searchsorted(np.cumsum(chances), min(draw, 0.999)))


def journey(pilot, number):
    river, states, actions, rewards, over = River(), [], [], [], False
    while not over:
        state = river.state()
        action = min(2, pilot.act(state, abs(np.sin(3.1 * river.stroke + number))))
        _, reward, over = river.step(action)
        states.append(state)
        actions.append(action)
        rewards.append(reward)
    returns = np.cumsum(rewards[::-1])[::-1].astype(np.float32)
    return np.stack(states), np.array(actions), (returns - returns.mean()) / (returns.std() + 1e-6)


def broken():
    pilot = Pilot()
    pilot.build([None, 3])
    optimizer = tf.keras.optimizers.Adam(0.02)
    for number in range(4):
        states, actions, worth = journey(pilot, number)
        with tf.GradientTape() as tape:
            surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, pilot(states))
            loss = tf.reduce_mean(surprise * worth)
        grads = tape.gradient(loss, pilot.trainable_variables)
        optimizer.apply_gradients(zip(grads, pilot.trainable_variables))
    return {"pilot/look/kernel": grads[0], "pilot/choose/kernel": grads[2]}


if __name__ == "__main__":
    print(broken())
