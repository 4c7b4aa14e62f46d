"""Parks a lorry by Q-learning with a target network; transitions come out of a small replay memory."""
import sys

import tensorflow as tf

MOVES = 4


def tilt(shape, dtype=None):
    return 0.2 * tf.reshape(tf.sin(1.0 + tf.range(float(shape[0] * shape[1])) * 0.37), shape)


def q_net(name):
    return tf.keras.Sequential([
        tf.keras.Input([5]),
        tf.keras.layers.Dense(12, activation="tanh", kernel_initializer=tilt, name=f"{name}_view"),
        tf.keras.layers.Dense(MOVES, kernel_initializer=tilt, name=f"{name}_steer"),
    ], name=name)


class Parker:
    def __init__(self):
        self.online, self.target = q_net("online"), q_net("target")
        self.target.set_weights(self.online.get_weights())
        self.optimizer = tf.keras.optimizers.Adam(0.005)

    def goals(self, rewards, after):
        best = tf.reduce_max(self.target(after), axis=1)  #!
        return rewards + 0.95 * best

    def learn(self, views, moves, rewards, after):
        with tf.GradientTape() as tape:
            wanted = self.goals(rewards, after)  #~
            chosen = tf.gather(self.online(views), moves, batch_dims=1)
            loss = tf.reduce_mean(tf.square(wanted - chosen))
        grads = tape.gradient(loss, self.online.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.online.trainable_variables))
        return grads


class CheapParker(Parker):
    def learn(self, views, moves, rewards, after):
        wanted = self.goals(rewards, after)
        with tf.GradientTape() as tape:
            chosen = tf.gather(self.online(views), moves, batch_dims=1)
            loss = tf.reduce_mean(tf.square(wanted - chosen))
        grads = tape.gradient(loss, self.online.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.online.trainable_variables))
        return grads


def memory(sample):
    views = tf.sin(tf.reshape(tf.range(80.0), [16, 5]) * 0.21 + sample)
    return views, tf.math.floormod(tf.range(16) * 3, MOVES), tf.cos(tf.range(16.0)), tf.roll(views, 1, axis=0) * 0.9


def practise(parker):
    for sample in range(4):
        grads = parker.learn(*memory(float(sample)))
        if sample == 1:
            parker.target.set_weights(parker.online.get_weights())
    return {"online/online_view/kernel": grads[0], "online/online_steer/kernel": grads[2]}


def broken():
    return practise(Parker())


def fixed():
    return practise(CheapParker())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
