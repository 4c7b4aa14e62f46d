"""Ships are inspected for rust, crew and cargo: one trunk, a head for each, all trained by the sum of the three losses."""
import sys

import tensorflow as tf


class Head(tf.keras.layers.Layer):
    def __init__(self, outputs, name):
        super().__init__(name=name)
        self.outputs = outputs

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.outputs), initializer=tf.keras.initializers.Constant(0.2), name="kernel")

    def call(self, hidden):
        return hidden @ self.kernel  #~


class Inspector(tf.keras.Model):
    TASKS = {"rust": 1, "crew": 2, "cargo": 3}

    def __init__(self):
        super().__init__(name="inspector")
        self.trunk = tf.keras.layers.Dense(6, activation="tanh", kernel_initializer=tf.keras.initializers.Constant(0.1), name="trunk")
        self.heads = {task: Head(size, task) for task, size in self.TASKS.items()}
        self.penalty = tf.stop_gradient(tf.constant(0.01))

    def call(self, ships, task):
        return self.heads[task](self.trunk(ships))


class JointTrainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam(0.01)

    def targets(self, ships, task):
        return tf.reduce_sum(ships, axis=1, keepdims=True) * tf.ones([1, Inspector.TASKS[task]])

    def loss(self, ships, task):
        predicted = self.model(ships, task=task)  #!
        size = tf.reduce_mean(tf.abs(predicted))
        return tf.reduce_mean(tf.square(predicted - self.targets(ships, task))) + self.model.penalty * tf.stop_gradient(size)

    def gradients(self, ships, weights):
        total = 0.0
        for task in Inspector.TASKS:
            with tf.GradientTape() as tape:
                total += self.loss(ships, task)
        return tape.gradient(total, weights)


class OneTape(JointTrainer):
    def gradients(self, ships, weights):
        with tf.GradientTape() as tape:
            total = tf.add_n([self.loss(ships, task) for task in Inspector.TASKS])
        return tape.gradient(total, weights)


def train(kind, steps=3):
    model = Inspector()
    ships = tf.reshape(tf.cos(tf.range(20.0)), [5, 4])
    for task in Inspector.TASKS:
        model(ships, task=task)
    trainer = kind(model)
    weights = [model.trunk.kernel, *(head.kernel for head in model.heads.values())]
    for _ in range(steps):
        grads = trainer.gradients(ships, weights)
        trainer.optimizer.apply_gradients((g, w) for g, w in zip(grads, weights) if g is not None)
    return dict(zip([weight.path for weight in weights], grads))


def broken():
    return train(JointTrainer)


def fixed():
    return train(OneTape)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
