"""Energies of molecules of one size, computed one molecule at a time."""
import sys

import tensorflow as tf


class Potential(tf.Module):
    def __init__(self):
        super().__init__(name="potential")
        self.depth = tf.Variable(0.8, name="depth")
        self.width = tf.Variable(1.2, name="width")

    def pair_energy(self, distance):
        ratio = self.width / distance
        return 4.0 * self.depth * (ratio ** 12 - ratio ** 6)


class Batch:
    def __init__(self, molecules, atoms):
        grid = tf.reshape(tf.range(float(molecules * atoms)), [molecules, atoms])
        self.distances = 1.3 + 0.4 * tf.sin(grid)
        self.measured = -1.0 + 0.1 * tf.cos(tf.range(float(molecules)))

    def __len__(self):
        return self.distances.shape[0]


class SingleEnergies:
    def __init__(self, potential):
        self.potential = potential

    def loss(self, batch):
        total = 0.0
        for k in range(len(batch)):
            energy = tf.reduce_sum(self.potential.pair_energy(batch.distances[k]))  #!
            total += tf.square(energy - batch.measured[k])  #~
        return total / len(batch)


class BatchedEnergies(SingleEnergies):
    def loss(self, batch):
        energies = tf.reduce_sum(self.potential.pair_energy(batch.distances), axis=1)
        return tf.reduce_mean(tf.square(energies - batch.measured))


def gradients(kind):
    potential = Potential()
    batch = Batch(molecules=50, atoms=6)
    with tf.GradientTape() as tape:
        loss = kind(potential).loss(batch)
    return tape.gradient(loss, {"depth": potential.depth, "width": potential.width})


def broken():
    return gradients(SingleEnergies)


def fixed():
    return gradients(BatchedEnergies)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
