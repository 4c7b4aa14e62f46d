"""Q-learning with a target network that is synchronised by assignment now and then."""
import tensorflow as tf


class Network(tf.Module):
    def __init__(self, name, trainable):
        super().__init__(name=name)
        start = 0.3 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3])
        self.kernel = tf.Variable(start, trainable=trainable, name=f"{name}_kernel")

    def __call__(self, states):
        return tf.matmul(states, self.kernel)


class Agent:
    def __init__(self):
        self.online = Network("online", trainable=True)
        self.target = Network("target", trainable=False)

    def synchronise(self):
        self.target.kernel.assign(self.online.kernel)

    @tf.function
    def learn(self, states, actions, rewards):
        best = tf.reduce_max(self.target(tf.roll(states, -1, axis=0)), axis=1)
        goal = tf.stop_gradient(rewards + 0.9 * best)
        with tf.GradientTape() as tape:
            chosen = tf.gather(self.online(states), actions, batch_dims=1)
            loss = tf.reduce_mean(tf.square(chosen - goal))
        gradient = tape.gradient(loss, self.online.kernel)
        self.online.kernel.assign_sub(0.1 * gradient)
        return gradient


def transitions():
    states = tf.reshape(tf.cos(tf.range(20.0)), [5, 4])
    return states, tf.constant([0, 2, 1, 0, 2]), tf.constant([1.0, 0.0, 0.5, -1.0, 0.0])


def broken():
    agent = Agent()
    for step in range(6):
        if step % 3 == 0:
            agent.synchronise()
        gradient = agent.learn(*transitions())
    return {"online_kernel": gradient}


if __name__ == "__main__":
    print(broken())
