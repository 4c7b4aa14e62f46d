"""Layer-wise learning rates for a model of tannins: each weight is updated by a rate of its own."""
import sys

import tensorflow as tf


class Tower(tf.Module):
    def __init__(self, sizes=(4, 8, 8, 6, 1)):
        super().__init__(name="tower")
        self.kernels, self.offsets = [], []
        for depth, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
            start = 0.6 * tf.sin(2.1 * tf.range(rows * columns, dtype=tf.float32) + depth)
            self.kernels.append(tf.Variable(tf.reshape(start, [rows, columns]), name=f"kernel_{depth}"))
            self.offsets.append(tf.Variable(tf.fill([columns], 0.05), name=f"offset_{depth}"))

    def __call__(self, grapes):
        for kernel, offset in zip(self.kernels[:-1], self.offsets):
            grapes = tf.nn.elu(grapes @ kernel + offset)
        return grapes @ self.kernels[-1] + self.offsets[-1]

    def parameters(self):
        return [part for pair in zip(self.kernels, self.offsets) for part in pair]


class LayerwiseTrainer:
    def __init__(self, base_rate=0.02, decay=0.8):
        self.model = Tower()
        self.base_rate, self.decay = base_rate, decay

    def rate(self, variable):
        depth = int(variable.name.split("_")[-1].split(":")[0])
        return self.base_rate * self.decay ** (len(self.model.kernels) - depth)

    def gradients(self, grapes, tannin):
        with tf.GradientTape(persistent=True) as tape:  #!
            loss = tf.reduce_mean(tf.square(self.model(grapes) - tannin))
        return [(variable, tape.gradient(loss, variable)) for variable in self.model.parameters()]  #~

    def step(self, grapes, tannin):
        found = self.gradients(grapes, tannin)
        for variable, gradient in found:
            variable.assign_sub(self.rate(variable) * gradient)
        return found


class TogetherTrainer(LayerwiseTrainer):
    def gradients(self, grapes, tannin):
        variables = self.model.parameters()
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(grapes) - tannin))
        return list(zip(variables, tape.gradient(loss, variables)))


def season(trainer, weeks=4):
    for week in range(weeks):
        grapes = tf.reshape(tf.cos(0.7 * tf.range(48.0) + week), [12, 4])
        found = trainer.step(grapes, tf.reduce_sum(grapes, axis=1, keepdims=True))
    return {variable.name.split(":")[0]: gradient for variable, gradient in found}


def broken():
    return season(LayerwiseTrainer())


def fixed():
    return season(TogetherTrainer())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
