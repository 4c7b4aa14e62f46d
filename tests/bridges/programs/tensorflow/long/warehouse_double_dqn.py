"""Double DQN with a target network, a Huber loss and a compiled step; nothing is wrong."""
import numpy as np
import tensorflow as tf


class QNetwork(tf.Module):
    def __init__(self, name):
        super().__init__(name=name)
        self.shelf = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(24.0)), [3, 8]), name="shelf")
        self.value = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(32.0)), [8, 4]), name="value")

    def __call__(self, states):
        return tf.nn.relu(states @ self.shelf + 0.3) @ self.value


class Agent:
    def __init__(self, discount=0.95):
        self.online, self.target = QNetwork("online"), QNetwork("target")
        self.discount = tf.constant(discount)
        self.sync(1.0)

    def sync(self, share):
        for slow, fast in zip(self.target.variables, self.online.variables):
            slow.assign((1.0 - share) * slow + share * fast)

    def targets(self, rewards, following, done):
        best = tf.argmax(self.online(following), axis=1)
        values = tf.gather(self.target(following), best, axis=1, batch_dims=1)
        return tf.stop_gradient(rewards + self.discount * (1.0 - done) * values)

    def loss(self, states, actions, rewards, following, done):
        chosen = tf.reduce_sum(self.online(states) * tf.one_hot(actions, 4), axis=1)
        error = self.targets(rewards, following, done) - chosen
        small = tf.minimum(tf.abs(error), 1.0)
        return tf.reduce_mean(0.5 * small**2 + (tf.abs(error) - small))

    @tf.function(reduce_retracing=True)
    def learn(self, batch):
        with tf.GradientTape() as tape:
            loss = self.loss(*batch)
        grads, norm = tf.clip_by_global_norm(tape.gradient(loss, self.online.trainable_variables), 5.0)
        for variable, grad in zip(self.online.trainable_variables, grads):
            variable.assign_sub(0.02 * grad)
        return loss, norm


def replay(count, shift):
    steps = np.arange(count, dtype=np.float32) + shift
    states = np.stack([np.sin(steps), np.cos(steps), np.sin(0.3 * steps)], axis=1)
    done = (np.arange(count) % 5 == 4).astype(np.float32)
    return [tf.constant(part) for part in (states, np.arange(count) % 4, np.cos(steps), np.roll(states, -1, axis=0), done)]


def broken():
    agent = Agent()
    for turn in range(5):
        agent.learn(replay(10, float(turn)))
        agent.sync(0.1)
    with tf.GradientTape() as tape:
        loss = agent.loss(*replay(10, 7.0))
    shelf, value = tape.gradient(loss, agent.online.trainable_variables)
    return {"shelf": shelf, "value": value}


if __name__ == "__main__":
    print(broken())
