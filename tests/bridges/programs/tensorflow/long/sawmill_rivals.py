"""Two models of saw blades: one draws grain, the other tells drawn grain from wood; each has a tape of its own."""
import sys

import keras
import tensorflow as tf


def cut(phase):
    return lambda shape, dtype=None: 0.4 * tf.reshape(tf.cos(1.5 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class Part(keras.Model):
    def __init__(self, name, size, phase):
        super().__init__(name=name)
        self.first = keras.layers.Dense(6, activation="tanh", kernel_initializer=cut(phase), name=f"{name}_first")
        self.last = keras.layers.Dense(size, kernel_initializer=cut(phase + 1.0), name=f"{name}_last")

    def call(self, inputs):
        return self.last(self.first(inputs))


class Mill:
    def __init__(self):
        self.drawer, self.judge = Part("drawer", 4, 0.3), Part("judge", 1, 1.7)

    def losses(self, wood, noise):
        with tf.GradientTape(persistent=True) as drawer_tape:
            drawn = self.drawer(noise)
            drawer_loss = tf.reduce_mean(tf.nn.softplus(-self.judge(drawn)))
        with tf.GradientTape() as judge_tape:
            drawn = tf.stop_gradient(self.drawer(noise))
            judge_loss = tf.reduce_mean(tf.nn.softplus(self.judge(drawn)) + tf.nn.softplus(-self.judge(wood)))  #!
        return drawer_tape, drawer_loss, judge_tape, judge_loss

    def shift(self, wood, noise):
        drawer_tape, drawer_loss, judge_tape, judge_loss = self.losses(wood, noise)
        slopes = self.slopes(drawer_tape, judge_tape, judge_loss)  #~
        drawer_slopes = drawer_tape.gradient(drawer_loss, self.drawer.trainable_variables)
        for weight, slope in zip(self.drawer.trainable_variables, drawer_slopes):
            weight.assign_sub(0.05 * slope)
        return {w.path: s for w, s in zip(self.judge.trainable_variables, slopes)} | {
            w.path: s for w, s in zip(self.drawer.trainable_variables, drawer_slopes)}

    def slopes(self, drawer_tape, judge_tape, judge_loss):
        return judge_tape.gradient(judge_loss, self.judge.trainable_variables)


class CrossedMill(Mill):
    def slopes(self, drawer_tape, judge_tape, judge_loss):
        return drawer_tape.gradient(judge_loss, self.judge.trainable_variables)  #~


def work(mill):
    wood = tf.reshape(tf.sin(0.6 * tf.range(24.0)), [6, 4])
    return mill.shift(wood, tf.reshape(tf.cos(0.9 * tf.range(18.0)), [6, 3]))


def broken():
    return work(CrossedMill())


def fixed():
    return work(Mill())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
