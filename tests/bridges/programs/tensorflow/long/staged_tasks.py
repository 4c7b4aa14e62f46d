"""Two tasks share a trunk; a schedule says how much each task weighs in each epoch."""
import sys

import tensorflow as tf


class Trunk:
    def __init__(self):
        self.layers = {
            "trunk": tf.Variable(tf.reshape(tf.sin(tf.range(12.0)), [3, 4]) * 0.4, name="trunk"),
            "speed": tf.Variable(tf.reshape(tf.cos(tf.range(4.0)), [4, 1]), name="speed_head"),
            "turn": tf.Variable(tf.reshape(tf.sin(tf.range(4.0) + 1.0), [4, 1]), name="turn_head"),
        }

    def heads(self, steps):
        shared = tf.tanh(steps @ self.layers["trunk"])
        return {name: shared @ self.layers[name] for name in ("speed", "turn")}


class Schedule:
    def __init__(self, start):
        self.weights = {"speed": tf.constant(1.0), "turn": tf.constant(0.0)}
        self.start = start

    def at(self, epoch):
        if epoch >= self.start:
            self.weights["turn"] = tf.constant(0.5)
        return self.weights


def total(model, weights, steps, wanted):
    losses = []
    for name, guess in model.heads(steps).items():
        error = tf.reduce_mean(tf.square(guess - wanted[name]))
        losses.append(weights[name] * error)  #!
    return tf.add_n(losses)


def train(schedule, epochs=3, rate=0.05):
    model = Trunk()
    steps = tf.reshape(tf.sin(tf.range(18.0) * 0.4), [6, 3])
    wanted = {"speed": tf.reduce_sum(steps, axis=1, keepdims=True), "turn": steps[:, :1]}
    for epoch in range(epochs):
        with tf.GradientTape() as tape:
            loss = total(model, schedule.at(epoch), steps, wanted)
        grads = tape.gradient(loss, model.layers)
        for name, grad in grads.items():
            model.layers[name].assign_sub(rate * grad)
    return {"trunk": grads["trunk"], "speed_head": grads["speed"], "turn_head": grads["turn"]}


def broken():
    return train(Schedule(start=5))


def fixed():
    return train(Schedule(start=1))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
