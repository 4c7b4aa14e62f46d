"""Anneals a table of glass recipes: a straight-through choice whose temperature falls from epoch to epoch."""
import sys

import tensorflow as tf


class Annealer(tf.Module):
    def __init__(self, start=2.0, fall=0.7, on_device=False):
        super().__init__(name="annealer")
        self.fall, self.on_device = fall, on_device
        self.heat = start
        self.recipe = tf.Variable([[0.5, 0.1, -0.2], [0.0, 0.3, 0.6]], name="recipe")
        self.cost = tf.constant([1.0, 2.0, 0.5])

    def temperature(self):
        return tf.constant(self.heat) if self.on_device else self.heat

    @tf.function
    def energy(self, batch, temperature):
        choice = tf.nn.softmax(self.recipe / temperature)
        return tf.reduce_mean(batch * tf.reduce_sum(choice * self.cost, axis=1)[:, None])

    def epoch(self, batches):
        for batch in batches:
            with tf.GradientTape() as tape:
                energy = self.energy(batch, self.temperature())  #!
            grad = tape.gradient(energy, self.recipe)
            self.recipe.assign_sub(0.1 * grad)
        self.heat *= self.fall
        return grad


def anneal(on_device):
    annealer = Annealer(on_device=on_device)
    batches = tf.data.Dataset.from_tensor_slices(tf.reshape(tf.range(16.0), [4, 4])).batch(2, drop_remainder=True)
    for _ in range(3):
        grad = annealer.epoch(batches)
    return {"recipe": grad}


def broken():
    return anneal(False)


def fixed():
    return anneal(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
