"""Adversarial examples of traffic signs by the fast gradient method, iterated."""
import sys

import tensorflow as tf


class SignNet(tf.Module):
    def __init__(self):
        super().__init__(name="signs")
        self.filters = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(27.0)), [3, 3, 1, 3]), name="filters")
        self.head = tf.Variable(0.6 * tf.reshape(tf.cos(tf.range(6.0)), [3, 2]), name="head")

    def __call__(self, image):
        maps = tf.nn.softplus(tf.nn.conv2d(image[None, :, :, None], self.filters, 2, "VALID"))  #!
        return tf.matmul(tf.reduce_mean(maps, axis=[1, 2]), self.head)


class Attack:
    def __init__(self, net, step=0.02, rounds=3):
        self.net, self.step, self.rounds = net, step, rounds

    def slope(self, image, label):
        with tf.GradientTape() as tape:
            logits = self.net(image)  #~
            tape.watch(image)  #~
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(label, logits)
        return tape.gradient(loss, image)

    def run(self, image, label):
        for _ in range(self.rounds):
            slope = self.slope(image, label)
            if slope is None:
                break
            image = tf.clip_by_value(image + self.step * tf.sign(slope), 0.0, 1.0)
        return {"image": slope}


class WorkingAttack(Attack):
    def slope(self, image, label):
        with tf.GradientTape() as tape:
            tape.watch(image)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(label, self.net(image))
        return tape.gradient(loss, image)


def sign_image():
    return 0.5 + 0.4 * tf.sin(tf.reshape(tf.range(49.0), [7, 7]) / 5.0)


def broken():
    image = sign_image()
    return Attack(SignNet()).run(image, [1])


def fixed():
    image = sign_image()
    return WorkingAttack(SignNet()).run(image, [1])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
