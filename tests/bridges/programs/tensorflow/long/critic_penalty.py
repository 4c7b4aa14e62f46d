"""A critic with a gradient penalty: a helper asks the tape before the training step does."""
import sys

import tensorflow as tf


class Critic(tf.Module):
    def __init__(self):
        super().__init__(name="critic")
        self.kernel = tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="kernel")
        self.head = tf.Variable([[0.7], [-0.4], [0.2]], name="head")

    def __call__(self, points):
        return tf.matmul(tf.nn.softplus(tf.matmul(points, self.kernel)), self.head)


def interpolated(real, fake):
    share = tf.reshape(tf.linspace(0.1, 0.9, real.shape[0]), [-1, 1])
    return share * real + (1.0 - share) * fake


class Training:
    persistent = False

    def __init__(self):
        self.critic = Critic()
        self.real = tf.reshape(tf.cos(tf.range(20.0)), [5, 4])
        self.fake = tf.reshape(tf.sin(tf.range(20.0)), [5, 4])

    def slope_report(self, tape, scores, points):
        slopes = tape.gradient(scores, points)  #~
        return tf.reduce_mean(tf.norm(slopes + 1e-6, axis=1))

    def step(self):
        points = interpolated(self.real, self.fake)
        with tf.GradientTape(persistent=self.persistent) as tape:
            tape.watch(points)
            scores = self.critic(points)
            gap = tf.reduce_mean(self.critic(self.fake)) - tf.reduce_mean(self.critic(self.real))
            loss = gap + 0.01 * tf.reduce_mean(tf.square(scores))
        slope = self.slope_report(tape, scores, points)
        tf.debugging.assert_positive(slope)
        grads = tape.gradient(loss, [self.critic.kernel, self.critic.head])  #!
        return dict(zip(["kernel", "head"], grads))


class PersistentTraining(Training):
    persistent = True


def broken():
    return Training().step()


def fixed():
    return PersistentTraining().step()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
