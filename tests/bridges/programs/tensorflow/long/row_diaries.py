"""Predicts the mood of diaries: each diary goes through the network by itself and is appended to what is there."""
import sys

import tensorflow as tf


class MoodNet:
    def __init__(self, width=6):
        self.params = {
            "read": tf.Variable(tf.reshape(0.3 * tf.sin(tf.range(5.0 * width)), [5, width]), name="read"),
            "feel": tf.Variable(tf.reshape(0.3 * tf.cos(tf.range(float(width))), [width, 1]), name="feel"),
            "shift": tf.Variable([0.1], name="shift"),
        }

    def __call__(self, diaries):
        hidden = tf.nn.silu(diaries @ self.params["read"])
        return hidden @ self.params["feel"] + self.params["shift"]


def one_by_one(net, diaries):
    moods = tf.zeros([0, 1])
    for place in range(diaries.shape[0]):
        mood = net(diaries[place : place + 1])  #!
        moods = tf.concat([moods, mood], axis=0)  #~
    return moods


def all_at_once(net, diaries):
    return net(diaries)


def train(read, days=2, rate=0.1):
    net = MoodNet()
    diaries = tf.reshape(tf.sin(tf.range(24 * 5.0) * 0.19), [24, 5])
    moods = tf.reduce_sum(diaries, axis=1, keepdims=True)
    for _ in range(days):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(read(net, diaries) - moods))
        grads = tape.gradient(loss, net.params)
        for name, grad in grads.items():
            net.params[name].assign_sub(rate * grad)
    return grads


def broken():
    return train(one_by_one)


def fixed():
    return train(all_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
