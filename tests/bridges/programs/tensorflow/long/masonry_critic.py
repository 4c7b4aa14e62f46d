"""A critic of stone walls with a gradient penalty: the slope of its score is held near one."""
import sys

import tensorflow as tf


class Critic:
    def __init__(self, size=6, hidden=5):
        grid = tf.reshape(tf.range(float(size * hidden)), [size, hidden])
        self.first = tf.Variable(0.5 * tf.sin(1.7 * grid), name="first")
        self.shift = tf.Variable(-0.3 * tf.ones([hidden]), name="shift")
        self.second = tf.Variable(tf.reshape(tf.cos(tf.range(float(hidden))), [hidden, 1]), name="second")

    def __call__(self, walls):
        return tf.nn.relu(walls @ self.first + self.shift) @ self.second


def plain_norm(slopes):
    return tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1))  #!


def safe_norm(slopes):
    return tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1) + 1e-12)


def walls(count=4):
    """The last wall is a blank one."""
    stones = tf.reshape(tf.cos(tf.range(6.0 * count) * 0.9), [count, 6])
    blank = tf.constant([[1.0]] * (count - 1) + [[0.0]])
    return stones * blank, 0.2 * tf.reverse(stones, [1]) * blank


def penalty(critic, real, made, norm):
    share = tf.linspace(0.2, 0.8, len(real))[:, None]
    between = share * real + (1.0 - share) * made
    with tf.GradientTape() as tape:
        tape.watch(between)
        score = critic(between)
    slopes = tape.gradient(score, between)
    return tf.reduce_mean(tf.square(norm(slopes) - 1.0))


def critic_step(norm):
    critic = Critic()
    real, made = walls()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(critic(made)) - tf.reduce_mean(critic(real))
        loss += 10.0 * penalty(critic, real, made, norm)
    return tape.gradient(loss, {"first": critic.first, "second": critic.second})


def broken():
    return critic_step(plain_norm)


def fixed():
    return critic_step(safe_norm)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
