"""A crane learns from replayed lifts; lifts that surprised it count more in the loss."""
import sys

import numpy as np
import tensorflow as tf

LIFTS = 20


def weights_of(surprise):
    size = np.abs(surprise.numpy()) + 0.01  #!
    share = (size ** 0.6).astype(np.float32)
    return tf.constant(share / share.max())  #~


def weights_by_ops(surprise):
    share = tf.stop_gradient((tf.abs(surprise) + 0.01) ** 0.6)
    return share / tf.reduce_max(share)


class Crane:
    def __init__(self):
        self.worth = tf.Variable(0.2 * tf.sin(tf.range(8.0)), name="worth")
        self.bias = tf.Variable(0.0, name="bias")
        self.optimizer = tf.keras.optimizers.Adam(0.02)

    def value(self, states):
        return tf.linalg.matvec(states, self.worth) + self.bias

    def learn(self, states, rewards, after, weigh):
        goal = rewards + 0.9 * self.value(after)
        with tf.GradientTape() as tape:
            surprise = goal - self.value(states)
            loss = tf.reduce_mean(weigh(surprise) * tf.square(surprise))  #~
        grads = tape.gradient(loss, [self.worth, self.bias])
        self.optimizer.apply_gradients(zip(grads, [self.worth, self.bias]))
        return {"worth": grads[0], "bias": grads[1]}


def shift(weigh):
    crane = Crane()
    for hour in range(4):
        states = tf.cos(tf.reshape(tf.range(float(LIFTS * 8)), [LIFTS, 8]) * 0.13 + hour)
        grads = crane.learn(states, tf.sin(tf.range(float(LIFTS)) + hour), tf.roll(states, 1, axis=0), weigh)
    return grads


def broken():
    return shift(weights_of)


def fixed():
    return shift(weights_by_ops)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
