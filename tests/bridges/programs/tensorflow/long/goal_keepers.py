"""Expected goals from shots: a residual network whose norms of gradients are kept for the trainer's report."""
import collections
import sys

import keras
import tensorflow as tf

SHOTS, FACTS = 48, 7


def grass(shape, dtype=None):
    return 0.25 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.43), shape)


class Block(keras.layers.Layer):
    def __init__(self, units, name):
        super().__init__(name=name)
        self.inner = keras.layers.Dense(units, "gelu", kernel_initializer=grass, name="inner")
        self.outer = keras.layers.Dense(units, kernel_initializer=grass, name="outer")

    def call(self, x):
        return x + 0.5 * self.outer(self.inner(x))


class ExpectedGoals(keras.Model):
    def __init__(self):
        super().__init__(name="goals")
        self.enter = keras.layers.Dense(8, kernel_initializer=grass, name="enter")
        self.blocks = [Block(8, f"block{k}") for k in range(3)]
        self.leave = keras.layers.Dense(1, kernel_initializer=grass, name="leave")

    def call(self, shots):
        x = self.enter(shots)
        for block in self.blocks:
            x = block(x)
        return self.leave(x)[:, 0]


class Report:
    def __init__(self):
        self.norms, self.waiting = collections.defaultdict(list), []

    def add(self, variables, grads):
        for variable, grad in zip(variables, grads):
            self.norms[variable.path].append(float(tf.norm(grad)))  #!


class LateReport(Report):
    def add(self, variables, grads):
        self.waiting.append(tf.stack([tf.norm(grad) for grad in grads]))


@tf.function
def forward_backward(model, shots, scored):
    with tf.GradientTape() as tape:
        logits = model(shots, training=True)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=scored, logits=logits))
    return loss, tape.gradient(loss, model.trainable_variables)


def season(report, days=4):
    shots = tf.reshape(tf.sin(tf.range(float(SHOTS * FACTS)) * 0.29), [SHOTS, FACTS])
    scored = tf.cast(shots[:, 0] + shots[:, 3] > 0.3, tf.float32)
    model = ExpectedGoals()
    model(shots[:1])
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9)
    for _ in range(days):
        loss, grads = forward_backward(model, shots, scored)
        report.add(model.trainable_variables, grads)  #~
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {v.path: g for v, g in zip(model.trainable_variables, grads)}


def broken():
    return season(Report())


def fixed():
    return season(LateReport())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
