"""Fits a potential for guests in a zeolite to measured forces, which are slopes of the energy."""
import sys

import tensorflow as tf


class Potential(tf.Module):
    """Energy of an atom from its distances to the lattice, by a small net over radial features."""

    def __init__(self, features=5, width=4):
        super().__init__(name="potential")
        wave = tf.sin(tf.range(float(features * width)) * 1.3)
        self.mix = tf.Variable(0.5 * tf.reshape(wave, [features, width]), name="mix")
        self.level = tf.Variable(0.4 * tf.cos(tf.range(float(width)))[:, tf.newaxis], name="level")
        self.centres = tf.linspace(0.5, 2.5, features)
        self.lattice = tf.constant([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]])

    def radial(self, positions):
        apart = positions[:, tf.newaxis, :] - self.lattice
        distance = tf.sqrt(tf.reduce_sum(tf.square(apart), axis=-1) + 1e-6)
        return tf.reduce_sum(tf.exp(-4.0 * tf.square(distance[..., tf.newaxis] - self.centres)), axis=1)

    def __call__(self, positions):
        return tf.squeeze(tf.nn.softplus(self.radial(positions) @ self.mix) @ self.level, axis=1)


class ForceMatching:
    def __init__(self, potential, rate=0.05):
        self.potential, self.rate = potential, rate

    def weights(self):
        return {"mix": self.potential.mix, "level": self.potential.level}

    @tf.function
    def step(self, positions, measured):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(positions)
                energy = self.potential(positions)
        forces = -inner.gradient(energy, positions)  #!
        loss = tf.reduce_mean(tf.square(forces - measured))
        return loss, outer.gradient(loss, self.weights())

    def train(self, data, epochs=3):
        for _ in range(epochs):
            for positions, measured in data:
                loss, grads = self.step(positions, measured)
                for name, grad in grads.items():
                    if grad is not None:
                        getattr(self.potential, name).assign_sub(self.rate * grad)
        return grads


class RecordedForces(ForceMatching):
    @tf.function
    def step(self, positions, measured):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(positions)
                energy = self.potential(positions)
            forces = -inner.gradient(energy, positions)
            loss = tf.reduce_mean(tf.square(forces - measured))
        return loss, outer.gradient(loss, self.weights())


def measurements():
    positions = 1.0 + 0.6 * tf.reshape(tf.sin(tf.range(24.0) * 0.8), [8, 3])
    measured = 0.3 * tf.reshape(tf.cos(tf.range(24.0) * 0.5), [8, 3])
    return tf.data.Dataset.from_tensor_slices((positions, measured)).batch(4)


def broken():
    return ForceMatching(Potential()).train(measurements())


def fixed():
    return RecordedForces(Potential()).train(measurements())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
