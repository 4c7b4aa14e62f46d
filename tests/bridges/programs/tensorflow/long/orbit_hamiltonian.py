"""A Hamiltonian network of a double star: motion is the slope of an energy, and the energy is learned from motion."""
import sys

import tensorflow as tf


class Energy(tf.Module):
    def __init__(self, width=8):
        super().__init__(name="energy")
        self.bend = tf.Variable(tf.reshape(0.7 * tf.sin(1.3 * tf.range(2.0 * width)), [2, width]), name="bend")
        self.bias = tf.Variable(tf.linspace(-0.5, 0.5, width), name="bias")
        self.weigh = tf.Variable(0.5 * tf.cos(tf.range(1.0 * width)), name="weigh")

    def __call__(self, state):
        return tf.linalg.matvec(tf.tanh(state @ self.bend + self.bias), self.weigh)


def motion(energy, state):
    with tf.GradientTape() as tape:
        tape.watch(state)
        total = tf.reduce_sum(energy(state))
    slope = tape.gradient(total, state)  #!
    return tf.stack([slope[:, 1], -slope[:, 0]], axis=1)


def observed():
    angle = tf.linspace(0.0, 6.0, 14)
    state = tf.stack([tf.cos(angle), -tf.sin(angle)], axis=1)
    return state, tf.stack([-tf.sin(angle), -tf.cos(angle)], axis=1)


class Astronomer:
    def __init__(self):
        self.energy = Energy()
        self.state, self.moved = observed()

    def parameters(self):
        return [self.energy.bend, self.energy.bias, self.energy.weigh]

    def night(self):
        predicted = motion(self.energy, self.state)  #~
        with tf.GradientTape() as tape:
            # A little weight decay keeps the energy flat far away.
            loss = tf.reduce_mean(tf.square(predicted - self.moved))
            loss += 1e-4 * tf.nn.l2_loss(self.energy.weigh)
        return tape.gradient(loss, self.parameters())

    def watch(self, nights=3, rate=0.05):
        for _ in range(nights):
            slopes = self.night()
            for parameter, slope in zip(self.parameters(), slopes):
                if slope is not None:
                    parameter.assign_sub(rate * slope)
        return dict(zip(["bend", "bias", "weigh"], slopes))


class CarefulAstronomer(Astronomer):
    def night(self):
        with tf.GradientTape() as tape:
            predicted = motion(self.energy, self.state)
            loss = tf.reduce_mean(tf.square(predicted - self.moved))
            loss += 1e-4 * tf.nn.l2_loss(self.energy.weigh)
        return tape.gradient(loss, self.parameters())


def broken():
    return Astronomer().watch()


def fixed():
    return CarefulAstronomer().watch()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
