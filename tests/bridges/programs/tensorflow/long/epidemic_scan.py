"""Infections of a town day by day with tf.scan; the contact rate is fitted to hospital admissions."""
import sys

import tensorflow as tf


class Epidemic(tf.Module):
    def __init__(self, limit=None):
        super().__init__(name="epidemic")
        self.contact = tf.Variable(2.0, name="contact")
        self.severity = tf.Variable(0.2, name="severity")
        self.limit = limit

    def grow(self, infected, mobility):
        rate = self.contact * mobility
        if self.limit is not None:
            rate *= 1.0 - infected / self.limit
        return infected * tf.exp(rate * infected)  #!

    def admissions(self, mobility):
        infected = tf.scan(self.grow, mobility, initializer=tf.constant(0.2))  #~
        return self.severity * infected


def step(model, optimizer, mobility, measured):
    with tf.GradientTape() as tape:
        expected = model.admissions(mobility)
        loss = tf.reduce_mean(tf.abs(expected - measured))
    weights = [model.contact, model.severity]
    grads = tape.gradient(loss, weights)
    clipped, _ = tf.clip_by_global_norm(grads, 0.5)
    optimizer.apply_gradients(zip(clipped, weights))
    return grads


def winter(model):
    optimizer = tf.keras.optimizers.SGD(0.01)
    measured = tf.linspace(0.02, 0.4, 12)
    for wave in (4, 6, 12):
        mobility = 0.8 + 0.4 * tf.sin(tf.range(float(wave)) * 0.5)
        grads = step(model, optimizer, mobility, measured[:wave])
    return {"contact": grads[0], "severity": grads[1]}


def broken():
    return winter(Epidemic())


def fixed():
    return winter(Epidemic(limit=1.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
