"""Predicts how perfumes are rated; the sharpness of the rating is learned along with the notes."""
import sys

import tensorflow as tf


class Blend(tf.Module):
    def __init__(self):
        super().__init__(name="blend")
        self.notes = tf.Variable(tf.reshape(tf.sin(tf.range(10.0)), [5, 2]), name="notes")
        self.sharpness = tf.Variable(1.5, name="sharpness")  #~
        self.call_count = 0

    @tf.function
    def rate(self, shares):
        self.call_count += 1
        strength = self.current_sharpness()
        return tf.nn.softmax(strength * tf.matmul(shares, self.notes))

    def current_sharpness(self):
        with tf.init_scope():
            value = self.sharpness.numpy()  #!
        return value


class LiveBlend(Blend):
    def current_sharpness(self):
        return self.sharpness


class Tasting:
    def __init__(self, blend):
        self.blend = blend
        self.shares = tf.nn.softmax(tf.reshape(tf.cos(tf.range(20.0)), [4, 5]))
        self.liked = tf.one_hot([0, 1, 1, 0], 2)

    def loss(self):
        rated = self.blend.rate(self.shares)  #~
        return -tf.reduce_mean(tf.reduce_sum(self.liked * tf.math.log(rated + 1e-6), axis=1))

    def train(self, rounds, learning_rate=0.2):
        variables = [self.blend.notes, self.blend.sharpness]
        for _ in range(rounds):
            with tf.GradientTape() as tape:
                loss = self.loss()
            grads = tape.gradient(loss, variables)
            for variable, grad in zip(variables, grads):
                if grad is not None:
                    variable.assign_sub(learning_rate * grad)
        return dict(zip(["notes", "sharpness"], grads))


def broken():
    return Tasting(Blend()).train(rounds=4)


def fixed():
    return Tasting(LiveBlend()).train(rounds=4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
