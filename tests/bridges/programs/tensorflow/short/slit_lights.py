"""A frozen projection written by hand, features before each tape."""
import sys

import tensorflow as tf


class Frozen(tf.Module):
    def __init__(self):
        super().__init__(name="frozen")
        self.wide = tf.Variable(0.1 * tf.reshape(tf.sin(tf.range(4096.0)), [64, 64]), trainable=False, name="wide")
        self.deep = tf.Variable(0.1 * tf.reshape(tf.cos(tf.range(4096.0)), [64, 64]), trainable=False, name="deep")

    def __call__(self, lights):
        return tf.tanh(tf.tanh(lights @ self.wide) @ self.deep)


def train(each_round):
    frozen, weigh = Frozen(), tf.Variable(0.1 * tf.ones([64, 1]), name="weigh")
    lights = tf.reshape(tf.cos(tf.range(64.0 * 32)), [32, 64])
    features = frozen(lights)
    for _ in range(5):
        if each_round:
            features = frozen(lights)  #!
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(features @ weigh - 0.3))
        grad = tape.gradient(loss, weigh)
        weigh.assign_sub(0.1 * grad)
    return {"weigh": grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
