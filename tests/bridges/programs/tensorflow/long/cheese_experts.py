"""Ripeness of cheese by a mixture of experts of which the two best by a gate are used."""
import sys

import tensorflow as tf


class Mixture:
    def __init__(self, used):
        self.used = used
        self.experts = [tf.Variable(0.5 * tf.sin(tf.range(4.0) + number), name=f"expert_{number}") for number in range(4)]
        self.gates = [tf.Variable(tf.fill([4], 0.3 * (number + 1)), name=f"gate_{number}") for number in range(4)]

    def scores(self, cheese):
        return tf.stack([tf.linalg.matvec(cheese, gate) for gate in self.gates], axis=1)

    def choose(self, cheese):
        best, which = tf.math.top_k(self.scores(cheese), k=self.used)  #!
        return tf.nn.softmax(best), which

    def ripeness(self, cheese):
        answers = tf.stack([tf.tanh(tf.linalg.matvec(cheese, expert)) for expert in self.experts], axis=1)
        shares, which = self.choose(cheese)
        chosen = tf.gather(answers, which, axis=1, batch_dims=1)
        return tf.reduce_sum(shares * chosen, axis=1)


def cellar(mixture, weeks=3):
    optimizer = tf.keras.optimizers.Adagrad(0.01)
    for week in range(weeks):
        cheese = tf.abs(tf.reshape(tf.cos(tf.range(24.0) * 0.3 + week), [6, 4])) + 0.1
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(mixture.ripeness(cheese) - 0.3))
        weights = mixture.gates + mixture.experts
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"gate_0": grads[0], "gate_3": grads[3]}


def broken():
    return cellar(Mixture(used=2))


def fixed():
    return cellar(Mixture(used=4))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
