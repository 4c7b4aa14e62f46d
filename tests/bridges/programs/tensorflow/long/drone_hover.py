"""A drone learns to hover with a small relu network over many steps; one large step comes early."""
import sys

import tensorflow as tf


class Controller(tf.Module):
    def __init__(self):
        super().__init__(name="controller")
        self.hidden = tf.Variable([[0.4, 0.3, 0.5], [0.2, 0.6, 0.1]], name="hidden")
        self.shift = tf.Variable([0.1, 0.2, 0.1], name="shift")
        self.thrust = tf.Variable([[0.5], [0.4], [0.3]], name="thrust")

    def __call__(self, state):
        active = tf.nn.relu(tf.matmul(state, self.hidden) + self.shift)  #!
        return tf.matmul(active, self.thrust)


class Flight:
    def __init__(self, rates):
        self.controller = Controller()
        self.states = tf.constant([[0.5, 0.2], [0.7, 0.4], [0.3, 0.9], [0.8, 0.6]])
        self.wanted = tf.constant([[-1.0], [-1.5], [-1.2], [-1.8]])
        self.rates = rates

    def variables(self):
        return [self.controller.hidden, self.controller.shift, self.controller.thrust]

    def gradients(self):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.controller(self.states) - self.wanted))
        return tape.gradient(loss, self.variables())

    def learn(self):
        for rate in self.rates:
            grads = self.gradients()
            for variable, grad in zip(self.variables(), grads):
                variable.assign_sub(rate * grad)
        return dict(zip(["hidden", "shift"], self.gradients()))


def broken():
    return Flight(rates=[0.01, 0.01, 3.0, 0.01]).learn()


def fixed():
    return Flight(rates=[0.01, 0.01, 0.01, 0.01]).learn()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
