"""Generates patterns for tapestries; weaver and judge learn from one tape that is asked twice."""
import sys

import tensorflow as tf


def dense(rows, columns, name):
    count = float(rows * columns)
    return tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(count) * 0.7 + 0.2), [rows, columns]), name=name)


class Weaver(tf.Module):
    def __init__(self):
        super().__init__(name="weaver")
        self.thread, self.pattern = dense(3, 8, "thread"), dense(8, 6, "pattern")

    def __call__(self, noise):
        return tf.tanh(tf.nn.elu(noise @ self.thread) @ self.pattern)


class Judge(tf.Module):
    def __init__(self):
        super().__init__(name="judge")
        self.look, self.verdict = dense(6, 8, "look"), dense(8, 1, "verdict")

    def __call__(self, cloth):
        return tf.nn.elu(cloth @ self.look) @ self.verdict


def cross_entropy(logits, real):
    labels = tf.ones_like(logits) if real else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, logits))


class Loom:
    def __init__(self, inside):
        self.weaver, self.judge, self.inside = Weaver(), Judge(), inside

    def ask(self, tape, fooled, caught):
        woven = tape.gradient(fooled, self.weaver.trainable_variables)  #!
        judged = tape.gradient(caught, self.judge.trainable_variables)  #~
        return woven, judged

    def step(self, noise, cloth):
        with tf.GradientTape(persistent=True) as tape:
            made = self.judge(self.weaver(noise))
            caught = cross_entropy(made, False) + cross_entropy(self.judge(cloth), True)
            fooled = cross_entropy(made, True)
            if self.inside:
                woven, judged = self.ask(tape, fooled, caught)  #~
        if not self.inside:
            woven, judged = self.ask(tape, fooled, caught)
        del tape
        return woven, judged


def weave(inside):
    loom = Loom(inside)
    for row in range(3):
        noise = tf.reshape(tf.sin(tf.range(12.0) + row), [4, 3])
        cloth = tf.reshape(tf.cos(tf.range(24.0) + row), [4, 6])
        woven, judged = loom.step(noise, cloth)
        for weight, grad in zip(loom.weaver.trainable_variables, woven):
            weight.assign_sub(0.05 * grad)
    return {"pattern": woven[0], "look": judged[0]}


def broken():
    return weave(inside=True)


def fixed():
    return weave(inside=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
